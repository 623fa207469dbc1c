// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import io.sparkzorder.format.TableFormat

/** The format of Iceberg tables on this Spark. Iceberg's classes are touched only where it is on the class path. */
object IcebergTables {

  def format: TableFormat = if (IcebergMissing.isPresent) IcebergFormat else IcebergMissing
}
