// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import io.delta.sql.DeltaSparkSessionExtension
import io.sparkzorder.DeltaSession
import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.sql.{QueryTest, Row}

/** Our extension, Iceberg's and Delta's in one session. */
trait BesideIcebergSuite extends QueryTest with DeltaSession with IcebergSession {

  private val iceberg = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
  private val delta = classOf[DeltaSparkSessionExtension].getName

  protected def ordered(ours: Seq[String]): Seq[String]

  override protected def sessionExtensions: Seq[String] =
    ordered(super.sessionExtensions.filterNot(e => e == iceberg || e == delta)).map {
      case "iceberg" => iceberg
      case "delta" => delta
      case own => own
    }

  override protected def generatedCode: Boolean = true

  test("statements of all three, with parameters, on tables of both formats") {
    withIceberg(withTable("t") {
      create(samples(400))
      createTable("t", events(400), files = 2)
      keepingAll(cluster("a, b", 4))
      val inDelta = sql("OPTIMIZE t ZORDER BY (a, b)").head()
      // As the outer parser Delta's loses parameters, whatever comes after it.
      val inIceberg =
        if (sessionExtensions.last == delta) sql(s"OPTIMIZE $t WHERE 1 = 1 ZORDER BY (a, b)").head()
        else spark.sql(s"OPTIMIZE $t WHERE 1 = :one ZORDER BY (a, b)", Map("one" -> 1)).head()
      assert(inIceberg.schema === inDelta.schema)
      val compaction = intercept[ZOrderAnalysisException](sql(s"OPTIMIZE $t"))
      assert(compaction.getCondition === "ZORDER_ICEBERG_KEEPS_ITSELF")
      // Iceberg's own statements, and its procedure after ours.
      sql(s"ALTER TABLE $t ADD PARTITION FIELD bucket(2, id)")
      sql(s"ALTER TABLE $t CREATE TAG now")
      sql(s"CALL ice.system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true'))").collect()
      keepingAll(cluster("a, b", 4))
      checkAnswer(sql(s"SELECT count(*), count(DISTINCT id) FROM $t"), Row(400, 400))
      checkAnswer(sql("SELECT count(*), count(DISTINCT id) FROM t"), Row(400, 400))
      assert(sql("DESCRIBE HISTORY t").head().getAs[String]("operation") === "OPTIMIZE")
    })
  }
}

class OursLastBesideIcebergSuite extends BesideIcebergSuite {
  override protected def ordered(ours: Seq[String]): Seq[String] = Seq("delta", "iceberg") ++ ours
}

class OursFirstBesideIcebergSuite extends BesideIcebergSuite {
  override protected def ordered(ours: Seq[String]): Seq[String] = ours ++ Seq("iceberg", "delta")
}

class IcebergLastSuite extends BesideIcebergSuite {
  override protected def ordered(ours: Seq[String]): Seq[String] = "delta" +: ours :+ "iceberg"
}

class OursBetweenIcebergAndDeltaSuite extends BesideIcebergSuite {
  override protected def ordered(ours: Seq[String]): Seq[String] = "iceberg" +: ours :+ "delta"
}
