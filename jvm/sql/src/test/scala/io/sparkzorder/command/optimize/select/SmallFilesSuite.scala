// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.select

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.{Clustering, DataFile}

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow

/** Which files a compaction puts together. */
class SmallFilesSuite extends SparkFunSuite {

  private final case class File(path: String, bytes: Long, of: Int = 0, isClustered: Boolean = false) extends DataFile {
    override def location: String = path
    override def partition: InternalRow = InternalRow(of)
    override def partitionName: String = s"p=$of"
    override def rows: Option[Long] = Some(1L)
    override def deletedRows: Long = 0L
    override def liveBytes: Long = bytes
    override def statistics(column: ColumnPath): ColumnStatistics = ColumnStatistics.unknown
    override def clustering: Option[Clustering] =
      Option.when(isClustered)(Clustering(Seq(Seq("a")), "zorder", isLayer = false, "run", 1, 1))
  }

  private def bins(target: Long, sizes: (String, Long)*): Seq[Seq[String]] =
    SmallFiles.bins(sizes.map { case (path, bytes) => File(path, bytes) }.toIndexedSeq, target).map(_.map(_.path))

  test("small files fill bins up to the target, the smallest first, and a bin has its files by their names") {
    assert(bins(100, "d" -> 10, "a" -> 30, "c" -> 20, "b" -> 40) == Seq(Seq("a", "b", "c", "d")))
    assert(bins(99, "d" -> 10, "a" -> 30, "c" -> 20, "b" -> 40) == Seq(Seq("a", "c", "d")))
    assert(bins(100, "a" -> 50, "b" -> 50, "c" -> 50, "d" -> 50) == Seq(Seq("a", "b"), Seq("c", "d")))
  }

  test("a file of the target's size is not small, and one for which there is no other stays") {
    assert(bins(100, "a" -> 100, "b" -> 101, "c" -> 99) == Nil)
    assert(bins(100, "a" -> 99, "b" -> 99) == Nil)
    assert(bins(100, "a" -> 1) == Nil)
    assert(bins(100) == Nil)
    assert(bins(1, "a" -> 1, "b" -> 1) == Nil)
    assert(bins(Long.MaxValue, "a" -> Long.MaxValue / 2, "b" -> Long.MaxValue / 2, "c" -> 1) == Seq(Seq("a", "b", "c")))
  }

  test("whatever the files and their order, no bin is larger than the target, and no file is in two") {
    val random = new scala.util.Random(17)
    (1 to 500).foreach { _ =>
      val files = IndexedSeq.tabulate(random.nextInt(40))(i => File(s"f$i", 1L + random.nextInt(60)))
      val target = 1L + random.nextInt(80)
      val found = SmallFiles.bins(files, target)
      assert(found.forall(bin =>
        bin.size > 1 && bin.map(_.bytes).sum <= target && bin.map(_.path) == bin.map(_.path).sorted))
      assert(found.flatten.distinct.size == found.flatten.size && found.flatten.forall(_.bytes < target))
      assert(SmallFiles.bins(random.shuffle(files), target) == found)
    }
  }

  test("bins are of one partition, and what a z-order has laid out is in none") {
    val files = IndexedSeq(
      File("a", 10, 0),
      File("b", 10, 0),
      File("c", 10, 0, isClustered = true),
      File("d", 10, 1),
      File("e", 10, 2, isClustered = true),
      File("f", 10, 2))
    val groups = new SmallFiles(_ => 100L).select(FileSelection.byPartition(files))
    assert(groups.map(_.bins.map(_.map(_.path))) == Seq(Seq(Seq("a", "b"))))
    assert(groups.head.rewritten.map(_.path) == Seq("a", "b") && groups.head.kept.map(_.path) == Seq("c"))
  }
}
