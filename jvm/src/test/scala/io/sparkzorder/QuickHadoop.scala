// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import org.apache.spark.sql.QueryTest

/** A session of [[FewHadoopSettings]]; the others on its context have all of them again. */
trait QuickHadoop extends ZOrderSharedSession { self: QueryTest =>

  private def hadoop = spark.sparkContext.hadoopConfiguration

  private var before: FewHadoopSettings.Settings = _

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    before = FewHadoopSettings.keep(hadoop, sparkConf)
  }

  override protected def afterAll(): Unit = {
    before.restore(hadoop)
    super.afterAll()
  }
}
