// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import java.io.File
import java.nio.file.Files

import io.sparkzorder.format.parquet.ParquetTables

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{QueryTest, Row}

/** Tables whose rewrite was interrupted and of whose log something is damaged, and what must hold of them afterwards. */
trait DamagedTables extends ParquetTables {

  private def isInTable(path: Path) = path.getName.endsWith(".parquet") && !path.toString.contains("/_zorder/")

  /** Before so many data files are moved in. */
  private def moving(after: Int): (String, Path, Path) => Boolean = counted(after)((what, _, to) =>
    what == "rename" && isInTable(to))

  /** Before so many old files are deleted, or moved to where they are kept. */
  private def deleting(after: Int): (String, Path, Path) => Boolean = counted(after)((what, from, to) =>
    (what == "delete" || (what == "rename" && !isInTable(to))) && isInTable(from))

  private def counted(after: Int)(is: (String, Path, Path) => Boolean): (String, Path, Path) => Boolean = {
    var left = after
    (what, from, to) =>
      is(what, from, to) && {
        left -= 1
        left < 0
      }
  }

  private def writing(ending: String): (String, Path, Path) => Boolean =
    (what, _, to) => what != "delete" && to.getName.endsWith(ending)

  /** Before which change a rewrite dies; recreated for each rewrite, as they count. */
  protected val stages: Map[String, () => (String, Path, Path) => Boolean] = Map(
    "before the moves" -> (() => moving(0)),
    "after a move" -> (() => moving(1)),
    "between the moves" -> (() => moving(3)),
    "before the verdict" -> (() => writing(".verdict")),
    "after the verdict" -> (() => deleting(0)),
    "half of the old files deleted" -> (() => deleting(4)),
    "all old files deleted" -> (() => writing(".closed")),
    "closed" -> (() => (_, _, _) => false)
  )

  protected def write(path: String): Unit =
    events(1200).where("p < 2").repartition(3).write.partitionBy("p").parquet(path)

  protected def until(path: String, stage: String)(body: => Unit): Unit = {
    val died = withSQLConf(DyingFiles.settings: _*)(DyingFiles.dying(stages(stage)())(body))
    assert(died == (stage != "closed"), stage)
    unlock(path)
  }

  /** The process that had the lock is gone. */
  protected def unlock(path: String): Unit =
    Option(new File(s"$path/_zorder/locks").listFiles).toSeq.flatten.foreach(_.delete())

  protected def documents(path: String, ending: String): Seq[File] =
    Option(new File(s"$path/_zorder/log").listFiles).toSeq.flatten
      .filter(f => f.getName.endsWith(ending) && !f.getName.startsWith(".")).sortBy(_.getName)

  protected def damage(file: File, how: String => String = _ => "{"): Unit = {
    Files.writeString(file.toPath, how(Files.readString(file.toPath)))
    new File(file.getParentFile, s".${file.getName}.crc").delete(): Unit
  }

  protected def repair(path: String, rest: String = ""): Seq[Row] =
    spark.sql(s"FSCK REPAIR TABLE parquet.`$path` $rest").collect().toSeq

  /** All files, of the log too, with their contents. */
  protected def state(path: String): Map[String, (Long, Int)] =
    filesBelow(new File(path)).map(f =>
      f.getPath -> (f.lastModified, java.util.Arrays.hashCode(Files.readAllBytes(f.toPath)))).toMap

  protected def read(path: String): Seq[Row] =
    spark.read.parquet(path).select("id", "a", "b", "c", "p").collect().toSeq

  protected def requireSame(path: String, rows: Seq[Row], what: String): Unit =
    Seq(read(path), plainRows(path).map(r => Row(r.getAs[Any]("id"), r.get(0), r.get(1), r.get(2), r.get(4)))).foreach {
      found => QueryTest.sameRows(rows, found).foreach(difference => fail(s"$what: $difference"))
    }

  protected def requireMended(path: String, rows: Seq[Row], what: String): Seq[Row] = {
    refused(s"SELECT count(*) FROM parquet.`$path`", "ZORDER_UNREADABLE_LOG", "XX001", "table" -> path)
    val before = state(path)
    val foreseen = repair(path, "DRY RUN")
    assert(foreseen.nonEmpty && state(path) == before, what)
    val done = repair(path)
    assert(done == foreseen, what)
    requireSame(path, rows, what)
    assert(repair(path).isEmpty)
    done.foreach { step =>
      val (files, place) = (step.getSeq[String](5), Option(step.getString(7)))
      place.foreach(p => files.foreach(f => assert(new File(s"$path/$p/$f.replaced").isFile, s"$what: $step")))
    }
    optimize(path, "ZORDER BY (b, a) OPTIONS (target_file_size = '8k', force = true)")
    requireSame(path, rows, what)
    analyze(path)
    requireSame(path, rows, what)
    done
  }
}
