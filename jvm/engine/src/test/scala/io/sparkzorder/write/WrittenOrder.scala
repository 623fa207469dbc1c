// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import java.io.File

import io.sparkzorder.{CurveOrder, Tables}

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.col

/** Reads files that a write has made, and tells in which order their rows are. */
trait WrittenOrder extends Tables {

  /** The data files of a table by its folder. */
  protected def dataFiles(folder: String): Seq[String] = {
    val all = filesBelow(new File(new java.net.URI(folder).getPath), file => !"._".contains(file.getName.head))
    all.map(_.getPath).filter(_.endsWith(".parquet")).sorted
  }

  /** The rows of a file as they lie in it: the values of some columns. */
  protected def rowsOf(file: String, columns: Seq[String]): Seq[Row] =
    spark.read.parquet(file).select(columns.map(col): _*).collect().toSeq

  /** Fails unless the rows of a file lie along the z-order curve through their ranks among themselves. */
  protected def assertZOrdered(file: String, columns: Seq[String]): Unit = {
    val places = CurveOrder.of(spark, Seq(file), columns.map(col)).flatMap(_.places)
    assert(places === places.sorted, file)
  }

  /** Fails unless rows are sorted by their columns, one after the other. */
  protected def assertSorted(rows: Seq[Row]): Unit = {
    def before(a: Row, b: Row): Boolean =
      (0 until a.size).find(i => a.get(i) != b.get(i)).exists(i => less(a.get(i), b.get(i)))
    rows.zip(rows.drop(1)).foreach { case (a, b) => assert(!before(b, a), s"$b lies behind $a") }
  }

  /** NULL is below every value. */
  private def less(a: Any, b: Any): Boolean =
    if (a == null || b == null) a == null && b != null else a.asInstanceOf[Comparable[Any]].compareTo(b) < 0
}
