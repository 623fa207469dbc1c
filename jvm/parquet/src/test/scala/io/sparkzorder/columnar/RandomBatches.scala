// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import scala.util.Random

import org.apache.spark.sql.execution.vectorized._
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

/** Column batches by chance, of all plain types: plain, by dictionaries, constant, NULL, on and off the heap. */
object RandomBatches {

  val types: Seq[DataType] = Seq(
    BooleanType,
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    DecimalType(9, 2),
    DecimalType(18, 3),
    StringType,
    StringType("UTF8_LCASE"),
    BinaryType,
    DateType,
    TimestampType,
    TimestampNTZType,
    YearMonthIntervalType(),
    DayTimeIntervalType()
  )

  private class Words(chance: Random, longest: Int) extends Dictionary {
    private val words = Array.fill(20)(bytes(chance, longest))
    val size: Int = words.length
    override def decodeToInt(id: Int): Int = id * 7919
    override def decodeToLong(id: Int): Long = -id * 7919L
    override def decodeToFloat(id: Int): Float = -0.0f
    override def decodeToDouble(id: Int): Double = if (id % 2 == 0) Double.NaN else id / 3.0
    override def decodeToBinary(id: Int): Array[Byte] = words(id)
  }

  private def bytes(chance: Random, longest: Int): Array[Byte] = {
    val made = new Array[Byte](chance.nextInt(longest + 1))
    chance.nextBytes(made)
    made
  }

  private def filled(vector: WritableColumnVector, rows: Int, nulls: Double, longest: Int, chance: Random): Unit = {
    val words = Option.when(chance.nextBoolean() && hasDictionary(vector.dataType))(new Words(chance, longest))
    words.foreach { w =>
      vector.setDictionary(w)
      vector.reserveDictionaryIds(math.max(rows, 1))
    }
    for (i <- 0 until rows)
      if (chance.nextDouble() < nulls) vector.putNull(i)
      else words.fold(put(vector, i, longest, chance))(w => vector.getDictionaryIds.putInt(i, chance.nextInt(w.size)))
  }

  private def hasDictionary(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType => false
    case _ => true
  }

  private def put(vector: WritableColumnVector, i: Int, longest: Int, chance: Random): Unit = vector.dataType match {
    case BooleanType => vector.putBoolean(i, chance.nextBoolean())
    case ByteType => vector.putByte(i, chance.nextInt().toByte)
    case ShortType => vector.putShort(i, chance.nextInt().toShort)
    case IntegerType | DateType | _: YearMonthIntervalType => vector.putInt(i, chance.nextInt())
    case FloatType => vector.putFloat(i, Seq(0.0f, -0.0f, Float.NaN, chance.nextFloat())(chance.nextInt(4)))
    case DoubleType => vector.putDouble(i, Seq(-0.0, Double.NegativeInfinity, chance.nextDouble())(chance.nextInt(3)))
    case d: DecimalType if d.precision <= 9 => vector.putInt(i, chance.nextInt(100000) - 50000)
    case _: StringType | BinaryType => vector.putByteArray(i, bytes(chance, longest))
    case _ => vector.putLong(i, chance.nextLong() % 1000000000000L)
  }

  private def constant(dataType: DataType, rows: Int): ColumnVector = {
    val vector = new ConstantColumnVector(math.max(rows, 1), dataType)
    dataType match {
      case _: StringType => vector.setUtf8String(UTF8String.fromString("é, a partition").substring(0, 4))
      case BinaryType => vector.setBinary(Array[Byte](1, 2, 3))
      case _ => vector.setNull()
    }
    vector
  }

  def batch(columns: Seq[DataType], rows: Int, longest: Int, chance: Random): ColumnarBatch = {
    val vectors = columns.map { dataType =>
      chance.nextInt(8) match {
        case 0 => constant(dataType, rows)
        case kind =>
          val capacity = math.max(rows, 1)
          val vector =
            if (kind == 1) new OffHeapColumnVector(capacity, dataType) else new OnHeapColumnVector(capacity, dataType)
          if (kind == 2) MissingColumns.in(vector)
          else filled(vector, rows, Seq(0.0, 0.3, 1.0)(chance.nextInt(3)), longest, chance)
          vector
      }
    }
    new ColumnarBatch(vectors.toArray, rows)
  }

  /** Bytes before the blocks of tests. */
  val Header = 24

  /** The blocks of the rows from `from` on, cut in halves where they are large. */
  def blocks(writer: BlockWriter, keys: Array[Long], rows: Array[Int], from: Int): Seq[Array[Byte]] = {
    var until = rows.length
    var end = -1
    while (end < 0) {
      end = writer.write(keys, rows, from, until)
      if (end < 0) until = from + (until - from) / 2
    }
    val block = writer.bytes.slice(Header, end)
    require(BlockReader.rowsOf(block) == until - from)
    block +: (if (until < rows.length) blocks(writer, keys, rows, until) else Nil)
  }
}
