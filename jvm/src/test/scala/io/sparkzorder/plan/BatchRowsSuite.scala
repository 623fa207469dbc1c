// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import scala.util.Random

import io.sparkzorder.TestRing

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Literal, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.vectorized._
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Rows of batches have the bytes of Spark's own projection. */
class BatchRowsSuite extends AnyFunSuite {

  private val types = Seq(
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

  /** Spark's rows of a batch, with two numbers behind the columns. */
  private def expected(batch: ColumnarBatch, columns: Seq[DataType]): IndexedSeq[UnsafeRow] = {
    val input = columns.map(AttributeReference("c", _)())
    val projection = UnsafeProjection.create(input ++ Seq(Literal(-5L), Literal(7)), input)
    (0 until batch.numRows).map(i => projection(batch.getRow(i)).copy())
  }

  private def requireSame(rows: BatchRows, batch: ColumnarBatch, columns: Seq[DataType], seed: Int): Unit = {
    rows.set(batch)
    for ((row, i) <- expected(batch, columns).zipWithIndex) {
      val found = rows(i)
      found.setLong(columns.length, -5L)
      found.setInt(columns.length + 1, 7)
      assert(found === row, s"seed $seed, row $i of $columns")
    }
  }

  private def random(seed: Int, longest: Int): Unit = {
    val chance = new Random(seed)
    val columns = Seq.fill(1 + chance.nextInt(70))(types(chance.nextInt(types.length)))
    val rows = new BatchRows(columns.toArray, 2)
    // One object for all batches: nothing of one may be seen in the next.
    for (_ <- 0 to 2) {
      val count = Seq(0, 1, chance.nextInt(300))(chance.nextInt(3))
      val vectors = columns.map { dataType =>
        chance.nextInt(8) match {
          case 0 => constant(dataType, count)
          case kind =>
            val capacity = math.max(count, 1)
            val vector =
              if (kind == 1) new OffHeapColumnVector(capacity, dataType) else new OnHeapColumnVector(capacity, dataType)
            if (kind == 2) vector.setMissing()
            else filled(vector, count, Seq(0.0, 0.3, 1.0)(chance.nextInt(3)), longest, chance)
            vector
        }
      }
      val batch = new ColumnarBatch(vectors.toArray, count)
      requireSame(rows, batch, columns, seed)
      batch.close()
    }
  }

  test("columns of all types, plain, by dictionaries, constant, NULL, on and off the heap") {
    for (seed <- 1 to TestRing.cases(short = 60, long = 600)) random(seed, longest = 40)
  }

  test("rows of more than the cache holds are written one after the other") {
    for (seed <- 1 to TestRing.cases(short = 3, long = 15)) random(seed, longest = 30000)
    val vector = new OnHeapColumnVector(5, StringType)
    for (i <- 0 until 5) vector.putByteArray(i, Array.fill(if (i == 2) 1 << 20 else 3)(i.toByte))
    val rows = new BatchRows(Array(StringType), 2)
    requireSame(rows, new ColumnarBatch(Array(vector), 5), Seq(StringType), seed = 0)
  }

  test("other types are left to Spark") {
    for (other <- Seq(DecimalType(19, 2), ArrayType(IntegerType), new StructType().add("x", LongType), VariantType))
      assert(!BatchRows.isSupported(other))
    types.foreach(t => assert(BatchRows.isSupported(t), t))
  }
}
