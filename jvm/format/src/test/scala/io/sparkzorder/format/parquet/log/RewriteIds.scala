// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

/** Ids of rewrites by short names: a process takes away what others have staged by such ids only. */
private[log] object RewriteIds {

  def of(name: String): String = UUID.nameUUIDFromBytes(name.getBytes(UTF_8)).toString
}
