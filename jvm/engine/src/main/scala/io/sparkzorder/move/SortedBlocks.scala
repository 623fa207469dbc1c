// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import scala.collection.mutable.ArrayBuffer

import io.sparkzorder.columnar.{BlockReader, Columns, ColumnsRow, PlainTypes, ReservedMemory}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.zorder.SparkInternals
import org.apache.spark.unsafe.array.LongArray
import org.apache.spark.unsafe.memory.MemoryBlock
import org.apache.spark.util.collection.unsafe.sort.RadixSort

/**
 * The rows of the blocks of one task, section by section, sorted by their keys: as columns in memory, or row by row with
 * Spark's sorter, which spills, where the task has not the memory for all of them at once.
 *
 * @param isPacked
 *   whether a task may have several sections
 * @param tie
 *   the ordinal of a column of strings or bytes, by which rows are sorted that have one key
 */
private[move] final class SortedBlocks(
    types: Array[DataType],
    isPacked: Boolean,
    tie: Option[Int],
    memory: ReservedMemory)
    extends Logging {
  import SortedBlocks._

  // What the sort takes, and slots that are wider than the lengths in blocks.
  private val perRow = 64L + 4L * types.count(PlainTypes.isText)

  /** Reads all blocks. A row is valid until the next one, what it has in memory for as long as anybody wants it. */
  def rows(blocks: Iterator[Block]): Iterator[InternalRow] = {
    val held = ArrayBuffer.empty[Block]
    var need = 0L
    var fit = true
    while (fit && blocks.hasNext) {
      held += blocks.next()
      need += 2L * held.last.bytes.length + perRow * BlockReader.rowsOf(held.last.bytes)
      // Not block by block: Spark's tasks wait for each other to be given memory.
      fit = memory.tryReserve((need + Step - 1) / Step * Step)
    }
    val columns = if (fit) gathered(held) else None
    columns match {
      case Some(sections) =>
        held.clear()
        SparkInternals.stopIfKilled()
        memory.shrinkTo(sections.map { case (rows, order) => rows.bytes + 4L * order.length }.sum)
        sections.iterator.flatMap { case (rows, order) => inOrder(rows, order) }
      case None =>
        logInfo(s"${held.size} blocks of $need bytes were all that fits in memory: sorting row by row")
        new SortedRows(types, isPacked, tie).sort(drained(held) ++ blocks)
    }
  }

  /**
   * The rows of each section with the order of their numbers; None, too, where the heap has no room in one piece, though
   * Spark has counted that there is room.
   */
  private def gathered(held: ArrayBuffer[Block]): Option[IndexedSeq[(Columns, Array[Int])]] =
    try {
      val sections = held.groupBy(_.section).toIndexedSeq.sortBy(_._1).map { case (_, of) =>
        Columns.of(types, of.map(_.bytes).toIndexedSeq)
      }
      if (sections.forall(_.isDefined)) Some(sections.flatten.map(rows => (rows, sorted(rows)))) else None
    } catch {
      case e: OutOfMemoryError =>
        logWarning("No room on the heap for columns that were reserved", e)
        None
    }

  private def inOrder(columns: Columns, order: Array[Int]): Iterator[InternalRow] = {
    val row = new ColumnsRow(columns, 0)
    order.iterator.map { i =>
      if ((i & 1023) == 0) SparkInternals.stopIfKilled()
      row.index = i
      row
    }
  }

  private def sorted(columns: Columns): Array[Int] = {
    val order = sortedByKey(columns.keys)
    tie.foreach(sortTies(columns, order, _))
    order
  }

  private def sortTies(columns: Columns, order: Array[Int], column: Int): Unit = {
    val keys = columns.keys
    var from = 0
    while (from < order.length) {
      var until = from + 1
      var isSorted = true
      while (until < order.length && keys(order(until)) == keys(order(from))) {
        isSorted &&= columns.compareTexts(column, order(until - 1), order(until)) <= 0
        until += 1
      }
      if (!isSorted)
        order.slice(from, until).sortWith(columns.compareTexts(column, _, _) < 0).copyToArray(order, from)
      from = until
    }
  }

  /** Rows with one key keep their order. */
  private def sortedByKey(keys: Array[Long]): Array[Int] = {
    // Pairs of row and key, and as much room beside them.
    val pairs = new Array[Long](4 * keys.length)
    var i = 0
    while (i < keys.length) {
      pairs(2 * i) = i.toLong
      pairs(2 * i + 1) = keys(i)
      i += 1
    }
    val array = new LongArray(MemoryBlock.fromLongArray(pairs))
    val first = RadixSort.sortKeyPrefixArray(array, 0, keys.length.toLong, 0, 7, false, true)
    Array.tabulate(keys.length)(i => pairs(first + 2 * i).toInt)
  }

  /** Lets go of each block when it is read, and of its memory: Spark's sorter wants more and more of it. */
  private def drained(held: ArrayBuffer[Block]): Iterator[Block] = {
    var left = held.iterator.map(_.bytes.length.toLong).sum
    memory.shrinkTo(left)
    memory.lend()
    held.indices.iterator.map { b =>
      val block = held(b)
      held(b) = null
      left -= block.bytes.length
      memory.shrinkTo(left)
      block
    }
  }
}

private[move] object SortedBlocks {

  /** @param bytes what [[io.sparkzorder.columnar.BlockWriter]] wrote of rows of one section */
  final case class Block(section: Int, bytes: Array[Byte])

  private val Step = 4L << 20
}
