// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import java.util.Arrays

import io.sparkzorder.columnar.BlockWriter

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BinaryType, IntegerType}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.Platform

/**
 * Makes blocks of the rows of column batches: of each batch the rows of one task are one block, or several if they are
 * large. A block goes as a row of [[BatchBlocks.output]]: the number of its task, that of its section, and the block, with
 * what its rows are sorted by as keys. Not thread-safe: a task makes its own.
 *
 * @param input
 *   the columns of the batches
 * @param columns
 *   those of them that move
 */
private[move] final class BatchBlocks(
    input: Seq[Attribute],
    columns: Seq[Attribute],
    placement: Placement,
    key: BlockKey) {

  // Nothing is computed of a row that is the same for all, or that another number implies.
  private val sections = if (placement.section.foldable) Nil else Seq(Alias(placement.section, "section")())
  private val section = sections.headOption.fold(placement.section)(_.toAttribute)
  private val position = Alias(placement.position(section), "position")()
  private val task = Alias(placement.task(section, position.toAttribute), "task")()
  private val values = key match {
    case BlockKey.Position(_) => Nil
    case BlockKey.Value(of) => Seq(Alias(of, "key")())
  }
  private val numbers = new RowNumbers(input, Seq(sections, Seq(position), task +: values))
  private val oneSection = if (sections.isEmpty) placement.section.eval().asInstanceOf[Int] else -1
  private val positionAt = sections.length
  private val taskAt = positionAt + 1
  private val keyAt = if (values.isEmpty) positionAt else taskAt + 1
  private val writer = new BlockWriter(columns.map(_.dataType).toArray, BatchBlocks.Header)
  private val row = new UnsafeRow(BatchBlocks.output.length)

  // Of each row of the batch.
  private var keys = Array.emptyLongArray
  private var tasks = Array.emptyIntArray
  private var sectionOf = Array.emptyIntArray
  // The rows of the batch, sorted by their tasks, and where those of each task end.
  private var order = Array.emptyIntArray
  private var ends = Array.emptyIntArray

  /** Blocks as rows: the same object each time, which is valid until the next one. */
  def of(batch: ColumnarBatch): Iterator[InternalRow] = {
    val input = numbers.inputOf(batch)
    writer.set(numbers.select(input, columns))
    assign(input)
    new Iterator[InternalRow] {
      private var done = 0

      override def hasNext: Boolean = {
        val more = done < batch.numRows
        if (!more) batch.closeIfFreeable()
        more
      }

      override def next(): InternalRow = {
        val first = order(done)
        val (end, until) = write(done, lastOf(done))
        done = until
        asRow(tasks(first), if (oneSection >= 0) oneSection else sectionOf(first), end)
      }
    }
  }

  /** Where the rows end that are of the task and the section of the row at `from`. */
  private def lastOf(from: Int): Int = {
    val end = ends(tasks(order(from)))
    if (oneSection >= 0) end
    else {
      val section = sectionOf(order(from))
      var last = from + 1
      while (last < end && sectionOf(order(last)) == section) last += 1
      last
    }
  }

  private def assign(batch: ColumnarBatch): Unit = {
    val n = batch.numRows
    if (keys.length < n) {
      keys = new Array[Long](n)
      tasks = new Array[Int](n)
      sectionOf = new Array[Int](n)
      order = new Array[Int](n)
    }
    var most = -1
    var i = 0
    while (i < n) {
      val found = numbers.numbersOf(batch.getRow(i))
      if (oneSection < 0) sectionOf(i) = found.getInt(0)
      tasks(i) = found.getInt(taskAt)
      keys(i) = found.getLong(keyAt)
      most = math.max(most, tasks(i))
      i += 1
    }
    if (ends.length <= most) ends = new Array[Int](most + 1)
    sort(n)
  }

  /** Sorts rows by their tasks, by counting; those of one task keep their order. */
  private def sort(n: Int): Unit = {
    Arrays.fill(ends, 0)
    var i = 0
    while (i < n) {
      ends(tasks(i)) += 1
      i += 1
    }
    var t = 1
    while (t < ends.length) {
      ends(t) += ends(t - 1)
      t += 1
    }
    i = n - 1
    while (i >= 0) {
      ends(tasks(i)) -= 1
      order(ends(tasks(i))) = i
      i -= 1
    }
    // What are the beginnings now are the ends of the tasks before.
    t = 0
    while (t < ends.length - 1) {
      ends(t) = ends(t + 1)
      t += 1
    }
    if (ends.nonEmpty) ends(ends.length - 1) = n
  }

  // Rows that are likely to fit into a block, where rows are large.
  private var likely = BatchBlocks.Many

  /** @return where the block ends, and the first row that is not in it */
  @scala.annotation.tailrec
  private def write(from: Int, last: Int): (Int, Int) = {
    val until = math.min(last, from + likely)
    val end = writer.write(keys, order, from, until)
    if (end >= 0) {
      likely = math.min(BatchBlocks.Many, 2 * likely)
      (end, until)
    } else {
      likely = (until - from) / 2
      write(from, last)
    }
  }

  /** The layout of Spark's rows: bits of NULLs, the numbers, offset and length of the block, the block. */
  private def asRow(task: Int, section: Int, end: Int): UnsafeRow = {
    import BatchBlocks._
    val bytes = writer.bytes
    Platform.putLong(bytes, Base, 0L)
    Platform.putLong(bytes, Base + 8, task.toLong)
    Platform.putLong(bytes, Base + 16, section.toLong)
    Platform.putLong(bytes, Base + 24, Header.toLong << 32 | (end - Header))
    Platform.putLong(bytes, Base + end, 0L)
    row.pointTo(bytes, Base, (end + 7) & ~7)
    row
  }
}

private[move] object BatchBlocks {

  /** The columns of a block as a row: the number of its task, an INT, that of its section, an INT, and the block. */
  val output: Seq[Attribute] = Seq(
    AttributeReference("_zorder_task", IntegerType, nullable = false)(),
    AttributeReference("_zorder_section", IntegerType, nullable = false)(),
    AttributeReference("_zorder_block", BinaryType, nullable = false)()
  )

  /** The section and the bytes of a block out of its row. */
  def read(row: InternalRow): SortedBlocks.Block = SortedBlocks.Block(row.getInt(1), row.getBinary(2))

  private val Base = Platform.BYTE_ARRAY_OFFSET.toLong
  private val Header = 32
  private val Many = 1 << 20
}
