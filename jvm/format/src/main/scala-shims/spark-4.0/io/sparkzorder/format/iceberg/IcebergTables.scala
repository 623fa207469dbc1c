// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import io.sparkzorder.format.TableFormat

/** Iceberg's release that this project links with has no runtime for this Spark. */
object IcebergTables {

  def format: TableFormat = IcebergMissing
}
