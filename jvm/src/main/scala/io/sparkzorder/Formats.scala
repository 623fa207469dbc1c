// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import io.sparkzorder.format.TableFormats
import io.sparkzorder.format.delta.{DeltaFormat, DeltaMissing}
import io.sparkzorder.format.iceberg.IcebergTables
import io.sparkzorder.format.parquet.ParquetFormat

/** Every format of tables. Delta's classes are touched only where Delta Lake is on the class path, and so Iceberg's. */
private[sparkzorder] object Formats {

  lazy val all: TableFormats =
    new TableFormats(
      Seq(if (DeltaMissing.isPresent) DeltaFormat else DeltaMissing, IcebergTables.format, ParquetFormat))
}
