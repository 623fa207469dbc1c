// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import org.apache.iceberg.{PartitionSpec, Schema, Table}

/** The columns and the partitions that a table had at a moment: a table that is loaded has those of its last refresh. */
private[iceberg] final case class TableForm(schema: Schema, spec: PartitionSpec) {

  val partitions = new PartitionColumns(schema, spec)

  def isNow(table: Table): Boolean =
    table.schema.schemaId == schema.schemaId && table.spec.specId == spec.specId
}

private[iceberg] object TableForm {

  def of(table: Table): TableForm = TableForm(table.schema, table.spec)
}
