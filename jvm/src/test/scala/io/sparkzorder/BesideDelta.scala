// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import org.apache.spark.SparkConf

/** A session with Delta's extension and catalog, for suites that know of Delta by its statements alone. */
trait BesideDelta extends ZOrderSharedSession {

  override protected def generatedCode: Boolean = false

  override protected def sparkConf: SparkConf =
    super.sparkConf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
}

/** Our extension is listed first: Delta's parser is the outer one. */
trait BeforeDelta extends BesideDelta {
  override protected def sessionExtensions: Seq[String] = super.sessionExtensions :+ BesideDelta.Extension
}

/** Our extension is listed last: our parser is the outer one. */
trait AfterDelta extends BesideDelta {
  override protected def sessionExtensions: Seq[String] = BesideDelta.Extension +: super.sessionExtensions
}

object BesideDelta {
  val Extension = "io.delta.sql.DeltaSparkSessionExtension"
}
