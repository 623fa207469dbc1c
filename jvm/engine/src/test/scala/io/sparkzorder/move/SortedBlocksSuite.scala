// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

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
        val found = new SortedBlocks(types, sections > 1, memory).rows(blocks.iterator)
          .map(r => toUnsafe(r).copy()).toVector
        memory.release()
        (found == rows.sortBy(r => (r._1, r._2)).map(_._3), found.length, memory.reserved)
      }.collect().toSeq
      assert(sorted.forall { case (same, rows, reserved) => same && rows > 10000 && reserved == 0L }, sorted)
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

  /** Blocks by chance, of some sections, of about 20,000 rows, no two of which have the same key. */
  private def blocksOf(
      seed: Int,
      sections: Int): (Array[DataType], Seq[SortedBlocks.Block], Vector[(Int, Long, UnsafeRow)]) = {
    val chance = new Random(seed)
    val types = RandomBatches.types.toArray
    val writer = new BlockWriter(types, 0)
    val toUnsafe = UnsafeProjection.create(types)
    val made = Vector.tabulate(50) { n =>
      val batch = RandomBatches.batch(types.toSeq, 1 + chance.nextInt(800), 60, chance)
      val rows = Array.tabulate(batch.numRows)(identity)
      val keys = rows.map(i => (chance.nextLong() >>> 20) * 100000 + n * 1000 + i)
      writer.set(batch)
      val end = writer.write(keys, rows, 0, rows.length)
      val section = n % sections
      val block = SortedBlocks.Block(section, writer.bytes.take(end))
      (block, rows.toVector.map(i => (section, keys(i), toUnsafe(batch.getRow(i): InternalRow).copy())))
    }
    (types, made.map(_._1), made.flatMap(_._2))
  }
}
