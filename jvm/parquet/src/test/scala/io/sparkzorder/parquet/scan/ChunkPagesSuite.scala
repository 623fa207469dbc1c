// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.scan

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.ZOrderSharedSession

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.internal.filter2.columnindex.RowRanges
import org.apache.spark.sql.QueryTest

/** The pages of a chunk by its page index, by the footer, and as they are met when the chunk is read. */
class ChunkPagesSuite extends QueryTest with ZOrderSharedSession {

  /** 1,000 rows in one row group: `few` has a dictionary, `many` has none; pages of 150 rows, the last of 100. */
  private def withChunks(body: (ParquetFileReader, ColumnChunkMetaData) => Unit): Unit = withTempPath { dir =>
    val options = Map(
      "parquet.page.row.count.limit" -> "150",
      "parquet.page.size.row.check.min" -> "1",
      "parquet.enable.dictionary#many" -> "false")
    spark.range(1000).selectExpr("id % 7 AS few", "id AS many").coalesce(1).write.options(options).parquet(dir.toString)
    val file = dir.listFiles().filter(_.getName.endsWith(".parquet")).head
    val input = HadoopInputFile.fromPath(new Path(file.toString), spark.sessionState.newHadoopConf())
    Using.resource(ParquetFileReader.open(input)) { reader =>
      reader.getRowGroups.get(0).getColumns.asScala.foreach(body(reader, _))
    }
  }

  private def everySecond(reader: ParquetFileReader, chunk: ColumnChunkMetaData): RowRanges = {
    val pages = java.util.stream.IntStream.of(0, 2, 4).iterator
    RowRanges.create(1000, pages, reader.readOffsetIndex(chunk))
  }

  test("pages are counted alike by the index, by the footer and by reading them") {
    withChunks { (reader, chunk) =>
      val columns = reader.getFileMetaData.getSchema.getColumns.asScala
      val column = columns.find(_.getPath.head == chunk.getPath.toDotString).get
      val read = reader.readRowGroup(0).getPageReader(column)
      val count = Iterator.continually(read.readPage()).takeWhile(_ != null).size
      assert(count === 7)
      assert(ChunkPages.of(reader, chunk).pages === count && new ChunkPages(chunk, None).pages === count)
    }
  }

  test("pages that hold rows, with the dictionary") {
    withChunks { (reader, chunk) =>
      val index = reader.readOffsetIndex(chunk)
      val dictionary = index.getOffset(0) - chunk.getStartingPos
      assert((dictionary > 0) === (chunk.getPath.toDotString == "few"))
      val expected = dictionary + Seq(0, 2, 4).map(index.getCompressedPageSize(_).toLong).sum
      assert(ChunkPages.of(reader, chunk).holding(everySecond(reader, chunk), 1000) === ((3L, expected)))
      assert(ChunkPages.of(reader, chunk).holding(RowRanges.createSingle(1000), 1000) === ((7L, chunk.getTotalSize)))
      assert(ChunkPages.of(reader, chunk).holding(RowRanges.EMPTY, 1000) === ((0L, 0L)))
    }
  }

  test("without an index a chunk is read whole") {
    withChunks { (reader, chunk) =>
      val pages = new ChunkPages(chunk, None)
      assert(pages.holding(everySecond(reader, chunk), 1000) === ((7L, chunk.getTotalSize)))
    }
  }
}
