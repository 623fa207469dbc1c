// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import java.io.File

import io.sparkzorder.JobLog
import io.sparkzorder.format.{TableStatement, UnresolvedPathTable}
import io.sparkzorder.format.parquet.{ParquetFormat, ParquetTables}

import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.types._

/** The columns of a folder are those of its files, whether footers or the statistics index tell them. */
class FolderColumnsSuite extends ParquetTables with JobLog {

  private def columns(path: String, isToRepair: Boolean = false): Seq[String] = {
    val statement = TableStatement("OPTIMIZE", isToRepair = isToRepair)
    ParquetFormat.atPath(spark, UnresolvedPathTable(Some("parquet"), path, statement), s"parquet.`$path`") match {
      case Some(table: ResolvedTable) =>
        table.table.columns.toSeq.map(c => s"${c.name} ${c.dataType.json} ${c.nullable} ${c.metadataInJSON}")
      case other => fail(s"no table: $other")
    }
  }

  /** What the footers say, whatever is kept of the table. */
  private def byFooters(path: String): Seq[String] = columns(path, isToRepair = true)

  private def footersRead(path: String): Int =
    jobsOf(assert(columns(path) == byFooters(path))).size - jobsOf(byFooters(path): Unit).size

  private def write(path: String, query: String): Unit =
    spark.sql(query).coalesce(1).write.mode("append").parquet(path)

  private val several = Seq(
    "SELECT id, map('k', id) AS m, array(named_struct('x', id)) AS l FROM range(50)",
    "SELECT CAST(id AS BIGINT) AS id, 'v' AS text, named_struct('y', 1.5D) AS s FROM range(50) WHERE id >= 0",
    "SELECT IF(id > 3, id, NULL) AS id, named_struct('z', DATE'2026-01-01') AS s, make_ym_interval(1) AS i FROM range(50)"
  )

  test("no footer is read where the index knows all files, and only those of others where it does not") {
    inFolder { path =>
      several.foreach(write(path, _))
      assert(footersRead(path) == 1)
      analyze(path)
      assert(footersRead(path) == 0)
      write(path, "SELECT id, 1 AS late FROM range(5)")
      assert(columns(path).exists(_.startsWith("late ")) && footersRead(path) == 1)
      optimize(path, "ZORDER BY (id) OPTIONS (force = true)")
      assert(columns(path).size == 7 && footersRead(path) == 0)
      // Its rows have gone, and with them the columns that no other file has.
      write(path, "SELECT 1 AS gone")
      analyze(path)
      assert(footersRead(path) == 0)
      val (kept, gone) = dataFiles(path).partition(_.lastModified < dataFiles(path).map(_.lastModified).max)
      assert(gone.size == 1 && kept.nonEmpty && gone.head.delete())
      assert(!columns(path).exists(_.startsWith("gone ")) && footersRead(path) == 0)
    }
  }

  test("a file that was replaced in its place is read again") {
    inFolder { path =>
      several.foreach(write(path, _))
      analyze(path)
      val file = dataFiles(path).head
      inFolder { other =>
        write(other, "SELECT 7L AS id, TIMESTAMP'2026-01-01 00:00:00' AS moment")
        java.nio.file.Files.copy(
          dataFiles(other).head.toPath,
          file.toPath,
          java.nio.file.StandardCopyOption.REPLACE_EXISTING)
        new File(file.getParentFile, s".${file.getName}.crc").delete()
      }
      assert(columns(path).exists(_.startsWith("moment ")) && footersRead(path) == 1)
    }
  }

  test("schemas hold for sessions that find the same types in files") {
    inFolder { path =>
      several.foreach(write(path, _))
      withSQLConf("spark.sql.parquet.binaryAsString" -> "true")(analyze(path))
      assert(footersRead(path) == 1)
      withSQLConf("spark.sql.parquet.binaryAsString" -> "true")(assert(footersRead(path) == 0))
      // No footer is read: of none of the files there is anything new to say.
      analyze(path)
      assert(footersRead(path) == 1)
    }
  }

  test("what is written down of schemas comes back, and what cannot be read counts for nothing") {
    val (a, b) = (new StructType().add("x", LongType), new StructType().add("x", LongType).add("y", StringType))
    def stored(of: FileColumns): Option[FileColumns] =
      FileColumns.read(Metadata.fromJson(of.write(new MetadataBuilder().putString("other", "z")).build().json))
    val files = Seq(Some(a), Some(a), None, Some(b), Some(new StructType().add("x", LongType)))
    val back = stored(FileColumns.of("s", files)).get
    assert(back.settings == "s" && back.schemas == Seq(a, b))
    assert((0 to 5).map(back.schemaOf) == Seq(Some(0), Some(0), None, Some(1), Some(0), None))
    assert(stored(FileColumns.of("s", Seq(None, None))).isEmpty && stored(FileColumns.of("s", Nil)).isEmpty)
    assert(stored(FileColumns.of("s", Iterator.tabulate(30000)(i => Some(if (i % 2 == 0) a else b)))).isEmpty)
    val damaged = new MetadataBuilder().putString("schemaSettings", "s").putStringArray("schemas", Array("no JSON"))
    assert(FileColumns.read(damaged.build()).isEmpty)
  }
}
