// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import java.io.File
import java.nio.file.Files

import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import io.sparkzorder.{DailyTest, LongTest, TestRing, ZOrderSharedSession}
import io.sparkzorder.columnar.{ColumnsOfRows, PlainTypes, ReservedMemory}

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.{Job, TaskAttemptID}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetOutputFormat}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.datasources.OutputWriterFactory
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Files of the encoder have the same bytes as those of Spark's writer, which is the oracle. */
class EncodedFileSuite extends ZOrderSharedSession {

  /** The same rows by both writers; `None` where the bytes are the same. */
  private def difference(
      schema: StructType,
      rows: Iterable[UnsafeRow],
      options: Map[String, String],
      forOurs: Option[Iterable[InternalRow]] = None): Option[String] =
    withTempDir { folder =>
      val job = Job.getInstance(spark.sessionState.newHadoopConfWithOptions(options))
      val theirs = new ParquetFileFormat().prepareWrite(spark, job, options, schema)
      val context = new TaskAttemptContextImpl(job.getConfiguration, new TaskAttemptID)
      def written(factory: OutputWriterFactory, name: String, rows: Iterable[InternalRow]): Array[Byte] = {
        val file = new File(folder, name)
        val writer = factory.newInstance(file.getPath, schema, context)
        rows.foreach(writer.write)
        writer.close()
        Files.readAllBytes(file.toPath)
      }
      val expected = written(theirs, "theirs.parquet", rows)
      val actual = written(new EncodedWriterFactory(theirs, shreds = false), "ours.parquet", forOurs.getOrElse(rows))
      val at = java.util.Arrays.mismatch(expected, actual)
      if (at < 0) None
      else {
        val differing = chunks(new File(folder, "theirs.parquet")).zip(chunks(new File(folder, "ours.parquet")))
          .filter { case (a, b) => a != b }.take(2)
        Some(s"byte $at of ${expected.length} and ${actual.length}: ${differing.mkString(" / ")}")
      }
    }

  /** What the footer tells of each column chunk, and where its pages begin. */
  private def chunks(file: File): Seq[String] = {
    val input = HadoopInputFile.fromPath(new Path(file.getPath), spark.sessionState.newHadoopConf())
    Using.resource(ParquetFileReader.open(input)) { reader =>
      reader.getFooter.getBlocks.asScala.toSeq.zipWithIndex.flatMap { case (group, g) =>
        group.getColumns.asScala.map { c =>
          val pages =
            Option(reader.readOffsetIndex(c)).toSeq.flatMap(i => (0 until i.getPageCount).map(i.getFirstRowIndex))
          s"group $g of ${group.getRowCount}: ${c.getPath} ${c.getPrimitiveType} ${c.getEncodings} ${c.getStatistics} " +
            s"${c.getTotalSize} ${c.getTotalUncompressedSize} pages at ${pages.take(30).mkString(",")} ${reader.readColumnIndex(c)}"
        }
      }
    }
  }

  private def withTempDir[T](body: File => T): T = {
    val folder = Files.createTempDirectory("encoder").toFile
    try body(folder)
    finally org.apache.spark.network.util.JavaUtils.deleteRecursively(folder)
  }

  private def one[T](chance: Random, of: T*): T = of(chance.nextInt(of.size))

  private def settings(chance: Random, schema: StructType): Map[String, String] = {
    val all = Seq(
      "compression" -> one(chance, "snappy", "snappy", "none", "gzip", "zstd", "lz4_raw", "lz4"),
      "parquet.page.size" -> one(chance, "1048576", "1048576", "700", "20000"),
      "parquet.block.size" -> one(chance, "134217728", "134217728", "30000", "400000"),
      "parquet.dictionary.page.size" -> one(chance, "1048576", "1048576", "100", "5000"),
      "parquet.page.row.count.limit" -> one(chance, "20000", "20000", "10", "777", "100000"),
      "parquet.block.row.count.limit" -> one(chance, s"${Int.MaxValue}", s"${Int.MaxValue}", "1000"),
      "parquet.enable.dictionary" -> one(chance, "true", "true", "false"),
      "parquet.page.write-checksum.enabled" -> one(chance, "true", "false"),
      "parquet.page.size.row.check.min" -> one(chance, "100", "1"),
      "parquet.page.size.row.check.max" -> one(chance, "10000", "500"),
      "parquet.page.size.check.estimate" -> one(chance, "true", "true", "false"),
      "parquet.statistics.truncate.length" -> one(chance, s"${Int.MaxValue}", "5"),
      "parquet.compression.codec.zstd.level" -> one(chance, "3", "9"),
      "parquet.writer.max-padding" -> one(chance, "8388608", "0"),
      "parquet.columnindex.truncate.length" -> one(chance, "64", "3"),
      "parquet.column.statistics.enabled" -> one(chance, "true", "true", "true", "false")
    )
    val ofColumns = schema.fieldNames.toSeq.flatMap { name =>
      Seq("parquet.enable.dictionary", "parquet.column.statistics.enabled").map(k =>
        s"$k#$name" -> chance.nextBoolean().toString)
    }
    (all.filter(_ => chance.nextInt(3) > 0) ++ ofColumns.filter(_ => chance.nextInt(8) == 0)).toMap
  }

  test("rows by chance, of all types and settings: the same bytes") {
    val failures = (0 until TestRing.cases(60, 300)).flatMap { seed =>
      val chance = new Random(seed)
      val columns = new RandomColumns(chance)
      val schema = columns.schema(one(chance, 1, 1, 2, 3, 8, 70), one(chance, 0.0, 0.0, 0.2))
      val most = if (schema.length > 10) 2000 else 30000
      val rows = columns.rows(schema, one(chance, 0, 1, 7, 8, 9, 504, 1024, 1025, 5000, most).min(most))
      val options = settings(chance, schema)
      val int96 = if (chance.nextInt(10) == 0) Seq(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key -> "INT96") else Nil
      withSQLConf(int96: _*)(difference(schema, rows, options)).map(d => s"seed $seed: $d; ${rows.size} rows; $options")
    }
    assert(failures === Nil)
  }

  test("rows of columns in memory, in any order, by chance among rows of Spark's: the same bytes") {
    val failures = (0 until TestRing.cases(40, 200)).flatMap { seed =>
      val chance = new Random(seed)
      val columns = new RandomColumns(chance, PlainTypes.contain)
      val schema = columns.schema(one(chance, 1, 2, 3, 8, 70), 0.0)
      val rows = columns.rows(schema, one(chance, 1, 8, 504, 1024, 1025, 5000, 30000).min(60000 / schema.length))
      val options = settings(chance, schema)
      val mixed = chance.nextInt(4) == 0
      val ours = ColumnsOfRows(schema, rows, chance).zip(rows).map { case (column, row) =>
        if (mixed && chance.nextInt(700) == 0) row else column
      }
      difference(schema, rows, options, Some(ours)).map(d => s"seed $seed: $d; ${rows.size} rows; $options")
    }
    assert(failures === Nil)
  }

  private def strings(values: Iterator[String]): Iterable[UnsafeRow] = {
    val schema = StructType(Seq(StructField("s", StringType)))
    val projection = UnsafeProjection.create(schema)
    values.map(v => projection(InternalRow(UTF8String.fromString(v))).copy()).toSeq
  }

  test("strings of a megabyte, and a dictionary that gets too large in mid-page and in later row groups", LongTest) {
    val schema = StructType(Seq(StructField("s", StringType)))
    val chance = new Random(5)
    val large = strings(Iterator.tabulate(40)(i => if (i % 3 == 0) "" else chance.alphanumeric.take(1 << 20).mkString))
    assert(difference(schema, large, Map("parquet.block.size" -> "8000000")) === None)
    // Few values at first, then ever new ones, over several row groups.
    val growing = strings(Iterator.tabulate(60000)(i => if (i % 20000 < 9000) s"v${i % 10}" else s"value number $i"))
    for (size <-
        Seq("20000", "1048576");
      group <- Seq("200000", "134217728"))
      assert(difference(
        schema,
        growing,
        Map("parquet.dictionary.page.size" -> size, "parquet.block.size" -> group)) === None)
  }

  test("a page of 70,000 rows, whose levels are as long as they can be") {
    val schema = StructType(Seq(
      StructField("b", BooleanType),
      StructField("i", IntegerType),
      StructField("t", BooleanType, false)))
    val projection = UnsafeProjection.create(schema)
    val rows = (0 until 70000).map { i =>
      projection(InternalRow(if (i / 8 % 2 == 0) null else i % 3 == 0, if (i % 16 < 9) null else i, i % 7 == 0)).copy()
    }
    val options = Map("parquet.page.row.count.limit" -> "100000", "parquet.page.size.row.check.max" -> "1000000")
    assert(difference(schema, rows, options) === None)
  }

  // Hadoop's codec of LZ4 compresses each write to its stream by itself, once a page is larger than its buffer of 256 KiB.
  test("pages larger than the buffers of the codecs: the same bytes", DailyTest) {
    val schema =
      StructType(Seq(StructField("i", LongType), StructField("s", StringType), StructField("d", IntegerType)))
    val projection = UnsafeProjection.create(schema)
    val chance = new Random(6)
    val rows = (0 until 60000).map { i =>
      val text = UTF8String.fromString(s"${chance.nextInt(1000)} and ${chance.nextInt()}")
      projection(InternalRow(chance.nextLong() >> 20, if (i % 9 == 0) null else text, chance.nextInt(30000))).copy()
    }
    val large =
      Map("page.size" -> "2000000", "page.row.count.limit" -> "1000000", "page.size.row.check.max" -> "1000000")
    for (codec <- Seq("none", "snappy", "gzip", "zstd", "lz4_raw", "lz4")) {
      val options = large.map { case (k, v) => s"parquet.$k" -> v } + ("compression" -> codec)
      assert(difference(schema, rows, options) === None, codec)
      assert(difference(schema, rows, options, Some(ColumnsOfRows(schema, rows, chance))) === None, codec)
    }
  }

  test("timestamps in milliseconds, rebased dates, decimals in the old format: by parquet-java's writers") {
    val schema = StructType(Seq(
      StructField("id", LongType),
      StructField("t", TimestampType),
      StructField("d", DateType),
      StructField("m", DecimalType(12, 2))))
    val rows = new RandomColumns(new Random(3)).rows(schema, 5000)
    for ((key, value) <- Seq(
        SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key -> "TIMESTAMP_MILLIS",
        SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key -> "LEGACY",
        SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key -> "true"
      ))
      withSQLConf(key -> value) {
        assert(difference(schema, rows, Map.empty) === None, key)
        val ours = ColumnsOfRows(schema, rows, new Random(4))
        assert(difference(schema, rows, Map.empty, Some(ours)) === None, key)
      }
  }

  test("files that Spark's writer writes as a whole") {
    val conf = spark.sessionState.newHadoopConf()
    assert(EncoderSettings.conflict(conf) === None)
    for ((key, value) <- Seq(
        "parquet.compression" -> "LZ4",
        "parquet.compression" -> "LZO",
        "parquet.crypto.factory.class" -> "some.Factory",
        "parquet.bloom.filter.enabled" -> "true",
        "parquet.bloom.filter.enabled#c" -> "true",
        "parquet.writer.version" -> "v2",
        "parquet.enable.bytestreamsplit" -> "true",
        "parquet.page.value.count.threshold" -> "1000"
      )) {
      val other = new org.apache.hadoop.conf.Configuration(conf)
      other.set(key, value)
      // What the writer does not know, it does not do, either.
      val isKnown =
        key != "parquet.enable.bytestreamsplit" || !ParquetJavaSettings.missing("ENABLE_BYTE_STREAM_SPLIT")
      assert(EncoderSettings.conflict(other).isDefined === isKnown, key)
    }
  }

  test("every setting of parquet-java's writer is read, or known not to matter here") {
    val read =
      Set("BLOCK_SIZE", "PAGE_SIZE", "DICTIONARY_PAGE_SIZE", "ENABLE_DICTIONARY", "VALIDATION", "MAX_PADDING_BYTES") ++
        Set("MIN_ROW_COUNT_FOR_PAGE_SIZE_CHECK", "MAX_ROW_COUNT_FOR_PAGE_SIZE_CHECK", "ESTIMATE_PAGE_SIZE_CHECK") ++
        Set(
          "COLUMN_INDEX_TRUNCATE_LENGTH",
          "STATISTICS_TRUNCATE_LENGTH",
          "BLOCK_ROW_COUNT_LIMIT",
          "PAGE_ROW_COUNT_LIMIT") ++
        Set("PAGE_WRITE_CHECKSUM_ENABLED", "STATISTICS_ENABLED", "COMPRESSION", "WRITE_SUPPORT_CLASS")
    val leadsToSpark =
      Set("ENABLE_BYTE_STREAM_SPLIT", "WRITER_VERSION", "PAGE_VALUE_COUNT_THRESHOLD", "BLOOM_FILTER_ENABLED")
    // Of summaries of jobs, of Bloom filters, of a pool of memory in place of which Spark's counts; and one that it never reads.
    val doesNotMatter = Set("ENABLE_JOB_SUMMARY", "JOB_SUMMARY_LEVEL", "MEMORY_POOL_RATIO", "MIN_MEMORY_ALLOCATION") ++
      Set("BLOOM_FILTER_EXPECTED_NDV", "BLOOM_FILTER_MAX_BYTES", "BLOOM_FILTER_FPP", "ADAPTIVE_BLOOM_FILTER_ENABLED") ++
      Set("BLOOM_FILTER_CANDIDATES_NUMBER", "SIZE_STATISTICS_ENABLED")
    // Of the package of old, and of Hadoop.
    val old = Set("COMPRESS", "COMPRESS_TYPE", "COMPRESS_CODEC", "OUTDIR", "BASE_OUTPUT_NAME", "PART")
    val all = classOf[ParquetOutputFormat[_]].getFields.filter(_.getType == classOf[String]).map(_.getName).toSet
    assert(all -- old === read ++ leadsToSpark ++ doesNotMatter -- ParquetJavaSettings.missing)
  }

  test("a row group ends early where Spark has no more memory, and the file is whole", LongTest) {
    val schema = StructType(Seq(StructField("id", LongType), StructField("s", StringType)))
    val projection = UnsafeProjection.create(schema)
    val chance = new Random(4)
    def value = UTF8String.fromString(chance.alphanumeric.take(100).mkString)
    val rows = (0 until 200000).map(i => projection(InternalRow(i.toLong, value)).copy())
    var (most, released) = (0L, 0)
    val memory = new ReservedMemory {
      override def tryReserve(bytes: Long): Boolean = {
        most = math.max(most, bytes)
        bytes < 1000000
      }
      override def shrinkTo(bytes: Long): Unit = released += 1
      override def lend(): Unit = ()
    }
    withTempDir { folder =>
      val job = Job.getInstance(spark.sessionState.newHadoopConf())
      new ParquetFileFormat().prepareWrite(spark, job, Map.empty, schema)
      val path = new Path(new File(folder, "f.parquet").getPath)
      val file = EncodedFile.ofSpark(path, job.getConfiguration, CompressionCodecName.SNAPPY, memory)
      rows.foreach(file.write)
      file.close()
      // Row groups of 8 MiB go on, whatever the memory.
      assert(most < 20000000 && released > 2 && chunks(new File(path.toString)).size === 6)
      val back = spark.read.parquet(path.toString).queryExecution.executedPlan.executeCollect()
      assert(back.map(projection(_).copy()).toSeq === rows)
    }
  }

  for (isColumns <- Seq(false, true))
    test(
      s"a row group ends early where large rows leave no memory, before sizes are looked at, of columns: $isColumns") {
      val schema = StructType(Seq(StructField("id", LongType), StructField("s", StringType)))
      val projection = UnsafeProjection.create(schema)
      var most = 0L
      val memory = new ReservedMemory {
        override def tryReserve(bytes: Long): Boolean = {
          most = math.max(most, bytes)
          bytes < 9000000
        }
        override def shrinkTo(bytes: Long): Unit = ()
        override def lend(): Unit = ()
      }
      withTempDir { folder =>
        val path = new Path(new File(folder, "f.parquet").getPath)
        val file = encoded(path, schema, memory)
        val rows =
          (0 until 20).map(i => projection(InternalRow(i.toLong, UTF8String.fromString(s"$i" * 1500000))).copy())
        if (isColumns) ColumnsOfRows(schema, rows, new Random(1)).foreach(row => file.write(row))
        else rows.foreach(row => file.write(row))
        file.close()
        assert(most < 30000000 && chunks(new File(path.toString)).size > 8)
        assert(spark.read.parquet(path.toString).selectExpr("sum(length(s))").head().getLong(0) === 45000000)
      }
    }

  test("a write that failed leaves no file open") {
    val schema = StructType(Seq(StructField("id", LongType, nullable = false)))
    val row = UnsafeProjection.create(StructType(Seq(StructField("id", LongType))))(InternalRow(null)).copy()
    withTempDir { folder =>
      def isOpen = new File("/proc/self/fd").listFiles.exists { f =>
        scala.util.Try(Files.readSymbolicLink(f.toPath).startsWith(folder.toPath)).getOrElse(false)
      }
      val file = encoded(new Path(new File(folder, "f.parquet").getPath), schema, ReservedMemory.of(None))
      assert(isOpen)
      intercept[IllegalStateException](for (_ <- 0 until 3000) file.write(row))
      file.close()
      assert(!isOpen)
    }
  }

  private def encoded(path: Path, schema: StructType, memory: ReservedMemory): EncodedFile = {
    val job = Job.getInstance(spark.sessionState.newHadoopConf())
    new ParquetFileFormat().prepareWrite(spark, job, Map.empty, schema)
    EncodedFile.ofSpark(path, job.getConfiguration, CompressionCodecName.SNAPPY, memory)
  }

  test("variants: the same bytes where Spark does not shred them") {
    val schema = StructType(Seq(StructField("id", LongType), StructField("v", VariantType)))
    val data = spark.range(3000).selectExpr(
      "id",
      """IF(id % 5 = 0, NULL, parse_json(format_string('{"a": %d, "b": ["%s"]}', id % 9, id))) AS v""")
    val rows = data.queryExecution.executedPlan.executeCollect().toSeq.map(_.asInstanceOf[UnsafeRow])
    withSQLConf(WriterSettings.withoutShredding.toSeq: _*) {
      assert(difference(schema, rows, Map("parquet.page.size" -> "3000")) === None)
    }
  }

  test("NULL in a column that has none by its type ends the write, and the file cannot be read") {
    val nullable = StructType(Seq(StructField("id", LongType)))
    val row = UnsafeProjection.create(nullable)(InternalRow(null)).copy()
    val schema = StructType(Seq(StructField("id", LongType, nullable = false)))
    val error = intercept[IllegalStateException](difference(schema, Seq.fill(2000)(row), Map.empty))
    assert(error.getMessage.contains("NULL in column id"))
  }

  test("NaNs of different bits are read as NaN, whether there is a dictionary or not") {
    // Whether parquet-java's dictionaries tell them apart is up to the slots of a hash map, so bytes may differ.
    val schema = StructType(Seq(StructField("f", FloatType), StructField("d", DoubleType)))
    val projection = UnsafeProjection.create(schema)
    val floats = Seq(0x7fc00000, 0x7fc00001, 0xffc00000, 0x7f800001).map(java.lang.Float.intBitsToFloat) :+ 1.5f
    val doubles =
      Seq(0x7ff8000000000000L, 0x7ff8000000000007L, 0xfff8000000000000L).map(java.lang.Double.longBitsToDouble) :+ -2.5
    val rows = (0 until 3000).map(i => projection(InternalRow(floats(i % 5), doubles(i % 4))).copy())
    for (dictionary <- Seq("true", "false")) withTempDir { folder =>
      val options = Map("parquet.enable.dictionary" -> dictionary)
      val job = Job.getInstance(spark.sessionState.newHadoopConfWithOptions(options))
      new ParquetFileFormat().prepareWrite(spark, job, options, schema)
      val path = new Path(new File(folder, "f.parquet").getPath)
      val file = EncodedFile.ofSpark(path, job.getConfiguration, CompressionCodecName.SNAPPY, ReservedMemory.of(None))
      rows.foreach(file.write)
      file.close()
      val read = spark.read.parquet(path.toString).collect()
      assert(read.map(r => (r.getFloat(0).toString, r.getDouble(1).toString)).toSeq ===
        rows.map(r => (r.getFloat(0).toString, r.getDouble(1).toString)))
      assert(spark.read.parquet(path.toString).where("d = -2.5").count() === 750)
      assert(spark.read.parquet(path.toString).where("isnan(f)").count() === 2400)
    }
  }
}
