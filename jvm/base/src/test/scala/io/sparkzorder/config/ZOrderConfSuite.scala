// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.config

import java.nio.file.{Files, Paths}

import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

class ZOrderConfSuite extends AnyFunSuite {

  private val Key = """`(spark\.sql\.zorder\.[\w.]*\w)`""".r

  test("docs/reference.md lists every setting, and no other") {
    // Settings are registered when their object is made.
    ZOrderConf.toString
    val ours = SQLConf.get.getAllDefinedConfs.map(_._1).filter(_.startsWith("spark.sql.zorder.")).toSet
    val listed = Key.findAllMatchIn(Files.readString(Paths.get("docs/reference.md"))).map(_.group(1)).toSet
    assert(ours.nonEmpty && ours -- listed === Set.empty)
    assert(listed.filterNot(k => ours(k) || k.startsWith("spark.sql.zorder.parquet.exclusiveCreation")) === Set.empty)
  }
}
