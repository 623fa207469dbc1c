// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import io.sparkzorder.errors.ZOrderErrors

import org.apache.iceberg.{PartitionSpec, Schema}
import org.apache.iceberg.expressions.{Evaluator, Expression => TableExpression, InclusiveMetricsEvaluator, Projections}
import org.apache.iceberg.spark.SparkV2Filters
import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  BasePredicate,
  BoundReference,
  Expression,
  Literal,
  Predicate,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.zorder.SparkInternals

/**
 * Which files a WHERE clause chooses. Of a column by which a table is partitioned as it is, each partition has one value:
 * any predicate will do. Of one from which partitions are derived, Iceberg finds the partitions that may hold such rows,
 * and of all others the files that may, by their bounds.
 */
private[iceberg] final class FileFilter(
    table: String,
    schema: Schema,
    spec: PartitionSpec,
    partitions: PartitionColumns,
    predicate: Option[Expression])
    extends PredicateHelper {

  private def names(e: Expression): Set[String] = e.references.map(_.name).toSet

  private val (onValues, onOthers) = predicate.toSeq
    .flatMap(splitConjunctivePredicates)
    .partition(names(_).subsetOf(partitions.identities.toSet))

  private val onSources = onOthers.filter(names(_).subsetOf(partitions.sources.toSet))

  private val matches: Option[BasePredicate] = onValues.reduceOption(And).map { condition =>
    Predicate.create(condition.transform { case a: AttributeReference =>
      val ordinal = partitions.columns.fieldIndex(a.name)
      BoundReference(ordinal, partitions.columns(ordinal).dataType, nullable = true)
    })
  }

  private val ofPartitions: Seq[Evaluator] = onSources.map { condition =>
    val found = inIceberg(condition).getOrElse(throw ZOrderErrors.icebergPredicate(table, toPrettySQL(condition)))
    new Evaluator(spec.partitionType, Projections.inclusive(spec).project(found))
  }

  // A predicate that Iceberg cannot express leaves out no file.
  private val ofBounds: Seq[InclusiveMetricsEvaluator] =
    onOthers.diff(onSources).flatMap(inIceberg).map(new InclusiveMetricsEvaluator(schema, _))

  private val ofAllBounds: Seq[InclusiveMetricsEvaluator] =
    (onValues ++ onOthers).flatMap(inIceberg).map(new InclusiveMetricsEvaluator(schema, _))

  /** Whether a file may hold such rows, or a part of one. */
  def apply(file: IcebergFile): Boolean = {
    def isInPartition = matches.forall(_.eval(file.partition))
    if (file.file.specId == spec.specId)
      isInPartition && ofPartitions.forall(_.eval(file.file.partition)) && ofBounds.forall(_.eval(file.file))
    // An older spec has no values that the predicates on partitions could be about, but the parts of its files have.
    else (file.part.isEmpty || isInPartition) && ofAllBounds.forall(_.eval(file.file))
  }

  private def inIceberg(condition: Expression): Option[TableExpression] = {
    val constant = condition.transformUp {
      case e if e.foldable && !e.isInstanceOf[Literal] => Literal(e.eval(), e.dataType)
    }
    SparkInternals.connectorPredicate(constant).flatMap(p => Option(SparkV2Filters.convert(p)))
  }
}
