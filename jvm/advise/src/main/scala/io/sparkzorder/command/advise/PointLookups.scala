// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.advise.simulate.SampledColumn
import io.sparkzorder.command.advise.workload.ScanFilters

import org.apache.spark.sql.catalyst.expressions.{Attribute, EqualTo, Literal}

/**
 * The workload where none is given: lookups of single values, as many of each column, each as likely as its value is
 * among the rows.
 */
private[advise] object PointLookups {

  /** So many of a column tell its share to some percent; each is asked of each file of each layout that is tried. */
  private val OfAColumn = 100

  /** @param attributes the columns of the table */
  def of(columns: Seq[SampledColumn], attributes: Seq[Attribute]): Seq[ScanFilters] = columns.flatMap { column =>
    val values = column.values.indices.filter(column.values(_) != null)
    val count = math.min(OfAColumn, values.size)
    val drawn = (0 until count).map(i => column.values(values((i.toLong * values.size / count).toInt)))
    val own = column.column
    drawn.map(v => ScanFilters(Seq(EqualTo(own.path.in(attributes), Literal(v, own.dataType))), 1.0 / count))
  }
}
