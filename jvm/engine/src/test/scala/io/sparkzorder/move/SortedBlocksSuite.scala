// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.util.Random

import io.sparkzorder.ZOrderSharedSession
import io.sparkzorder.columnar.{BlockWriter, RandomBatches, ReservedMemory}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._

/** Rows of blocks come sorted by their keys, whether or not there is memory for the blocks. */
class SortedBlocksSuite extends ZOrderSharedSession {
  import SortedBlocksSuite._

  for (fitting <- Seq(Long.MaxValue, 20000000L, 0L); sections <- Seq(1, 7))
    test(s"rows are sorted by their keys, in sections of which a task has $sections, with $fitting bytes of memory") {
      val sorted = spark.sparkContext.parallelize(1 to 4, 4).map { seed =>
        val (types, blocks, rows) = blocksOf(seed, sections)
        val toUnsafe = UnsafeProjection.create(types)
        val memory = new Limited(fitting)
        val found = new SortedBlocks(types, sections > 1, None, memory).rows(blocks.iterator)
          .map(r => toUnsafe(r).copy()).toVector
        memory.release()
        (found == rows.sortBy(r => (r._1, r._2)).map(_._3), found.length, memory.reserved)
      }.collect().toSeq
      assert(sorted.forall { case (same, rows, reserved) => same && rows > 10000 && reserved == 0L }, sorted)
    }

  for (fitting <- Seq(Long.MaxValue, 0L); sections <- Seq(1, 3))
    test(s"rows of one key are sorted by a column of strings, $sections sections, with $fitting bytes of memory") {
      val sorted = spark.sparkContext.parallelize(1 to 2, 2).map { seed =>
        val (types, blocks, rows) = blocksOf(seed, sections, keys = 9)
        val text = types.indexOf(StringType)
        val toUnsafe = UnsafeProjection.create(types)
        // As unsigned bytes.
        def textOf(row: InternalRow) = Option(row.getUTF8String(text)).map(t => new String(t.getBytes, ISO_8859_1))
        val found = new SortedBlocks(types, sections > 1, Some(text), new Limited(fitting)).rows(blocks.iterator)
          .map(r => toUnsafe(r).copy()).toVector
        val expected = rows.sortBy(r => (r._1, r._2, textOf(r._3))).map(_._3)
        (found.map(textOf) == expected.map(textOf), found.groupBy(identity) == expected.groupBy(identity))
      }.collect().toSeq
      assert(sorted.forall { case (inOrder, same) => inOrder && same }, sorted)
    }
}

object SortedBlocksSuite {

  private class Limited(limit: Long) extends ReservedMemory {
    var reserved = 0L
    override def tryReserve(bytes: Long): Boolean = {
      if (bytes <= limit) reserved = math.max(reserved, bytes)
      bytes <= limit
    }
    override def shrinkTo(bytes: Long): Unit = reserved = math.min(reserved, bytes)
    override def lend(): Unit = ()
  }

  /** Blocks by chance, of some sections, of about 20,000 rows, no two of which have the same key unless `keys` says how many there are. */
  private def blocksOf(
      seed: Int,
      sections: Int,
      keys: Int = 0): (Array[DataType], Seq[SortedBlocks.Block], Vector[(Int, Long, UnsafeRow)]) = {
    val chance = new Random(seed)
    val types = RandomBatches.types.toArray
    val writer = new BlockWriter(types, 0)
    val toUnsafe = UnsafeProjection.create(types)
    val made = Vector.tabulate(50) { n =>
      val batch = RandomBatches.batch(types.toSeq, 1 + chance.nextInt(800), 60, chance)
      val rows = Array.tabulate(batch.numRows)(identity)
      val keyOf = rows.map { i =>
        if (keys > 0) chance.nextInt(keys).toLong else (chance.nextLong() >>> 20) * 100000 + n * 1000 + i
      }
      writer.set(batch)
      val end = writer.write(keyOf, rows, 0, rows.length)
      val section = n % sections
      val block = SortedBlocks.Block(section, writer.bytes.take(end))
      (block, rows.toVector.map(i => (section, keyOf(i), toUnsafe(batch.getRow(i): InternalRow).copy())))
    }
    (types, made.map(_._1), made.flatMap(_._2))
  }
}
