// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule

/** Reads and writes the small JSON files under a table's `_zorder`. */
private[parquet] object Json {
  val mapper: ObjectMapper = new ObjectMapper().registerModule(DefaultScalaModule)
}
