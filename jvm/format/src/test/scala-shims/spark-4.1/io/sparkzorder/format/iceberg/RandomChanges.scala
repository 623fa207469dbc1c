// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.util.{Random, Try}

import org.apache.spark.sql.QueryTest

/** What writers do to a table between rewrites and during them, by chance. */
trait RandomChanges extends IcebergSession { self: QueryTest =>

  protected def one[T](random: Random, of: T*): T = of(random.nextInt(of.size))

  /** Settings of a history: code is generated or interpreted, plans are adapted or not, shuffles are narrow. */
  protected def randomSettings(random: Random): Seq[(String, String)] = {
    val generated = random.nextInt(3) == 0
    Seq(
      "spark.sql.codegen.wholeStage" -> generated.toString,
      "spark.sql.codegen.factoryMode" -> (if (generated) "CODEGEN_ONLY" else "NO_CODEGEN"),
      "spark.sql.adaptive.enabled" -> random.nextBoolean().toString,
      "spark.sql.shuffle.partitions" -> one(random, "1", "1", "2", "3")
    )
  }

  /** A table of format version 2 or 3, with plain columns or a struct among them, seldom in files of another format. */
  protected def createAny(random: Random, version: Int): Unit = {
    val plain = samples(300)
    val withStruct = plain.selectExpr("*", "if(id % 5 = 0, NULL, named_struct('x', a, 'y', c)) AS n")
    val format = one(random, Seq.fill(18)("parquet") ++ Seq("orc", "avro"): _*)
    create(
      if (random.nextInt(4) == 0) withStruct else plain,
      version,
      properties = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read', " +
        "'write.merge.mode' = 'merge-on-read', " +
        s"'commit.retry.min-wait-ms' = '1', 'write.format.default' = '$format'"
    )
  }

  /** A change of the rows, of the table, or of how its files are laid out. */
  protected def change(random: Random, next: Int): Unit = random.nextInt(10) match {
    case 0 | 1 => insert(random, next)
    case 2 =>
      val mode = one(random, "merge-on-read", "copy-on-write")
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('write.delete.mode' = '$mode')")
    case 3 => delete(random)
    case 4 => update(random)
    case 5 => sql(s"ALTER TABLE $t ADD COLUMN z${next}_${random.nextInt(1000000)} INT")
    case 6 =>
      val (set, other) = one(random, ("c", "days(at)"), ("days(at)", "c"), ("bucket(3, id)", "truncate(5, c)"))
      for (change <- Seq(s"ADD PARTITION FIELD $set", s"DROP PARTITION FIELD $other"))
        Try(sql(s"ALTER TABLE $t $change"))
    case 7 => compact()
    case 8 => deleteEqual(random)
    case 9 => merge(random)
  }

  /** A change of the rows or of their files alone, as others commit it while a rewrite is under way. */
  protected def changeOfRows(random: Random, next: Int): Unit = {
    random.nextInt(6) match {
      case 0 | 1 => insert(random, next)
      case 2 => delete(random)
      case 3 => update(random)
      case 4 => compact()
      case 5 => deleteEqual(random)
    }
    sql(s"REFRESH TABLE $t")
  }

  private def insert(random: Random, next: Int): Unit = {
    samples(50 + random.nextInt(100), next * 1000).createOrReplaceTempView("more")
    val values = sql(s"SELECT * FROM $t LIMIT 0").columns.map {
      case c @ ("id" | "a" | "b" | "c" | "at") => c
      case "n" => "named_struct('x', a + 1, 'y', if(id % 3 = 0, NULL, c)) AS n"
      case c => s"CAST(id AS INT) AS $c"
    }
    sql(s"INSERT INTO $t SELECT ${values.mkString(", ")} FROM more")
  }

  private def delete(random: Random): Unit = sql(s"DELETE FROM $t WHERE id % ${3 + random.nextInt(20)} = 0")

  private def update(random: Random): Unit = sql(s"UPDATE $t SET a = a + 1 WHERE id % ${3 + random.nextInt(20)} = 1")

  private def merge(random: Random): Unit = {
    val (first, every) = (random.nextInt(300), 2 + random.nextInt(9))
    sql(s"MERGE INTO $t t USING (SELECT id + $first AS k, id AS m FROM range(40)) s ON t.id = s.k " +
      s"WHEN MATCHED AND m % $every = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET a = -m, c = 'merged' " +
      s"WHEN NOT MATCHED AND m % $every <> 1 THEN INSERT (id, a) VALUES (k, m)")
  }

  /** Of all rows that were written before, as Flink does it: of a table without partitions, else of none. */
  private def deleteEqual(random: Random): Unit =
    if (table.spec.isUnpartitioned)
      EqualityDeletes.of(table, "id", Seq.fill(5)(random.nextInt(4000).toLong): _*)

  private def compact(): Unit =
    sql("CALL ice.system.rewrite_data_files(table => 'db.t', strategy => 'sort', sort_order => 'a', " +
      "options => map('min-input-files', '2'))").collect()
}
