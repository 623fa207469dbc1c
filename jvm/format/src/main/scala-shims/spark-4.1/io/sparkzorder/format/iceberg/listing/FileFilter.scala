// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import scala.util.Try

import io.sparkzorder.errors.ZOrderErrors

import org.apache.iceberg.{PartitionData, PartitionSpec, Schema}
import org.apache.iceberg.expressions.{
  Binder,
  Evaluator,
  Expression => TableExpression,
  InclusiveMetricsEvaluator,
  Projections
}
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

/**
 * Which files a WHERE clause chooses. Conjuncts over columns by which the table is partitioned as they are are asked of a
 * partition's value, so that any expression will do. Those over sources of a transform, as of `days(at)`, are projected onto
 * the values of partitions, so that Iceberg must be able to express them. All others are asked of a file's bounds, and one
 * that Iceberg cannot express leaves out nothing.
 */
private[iceberg] final class FileFilter(
    table: String,
    tableSchema: Schema,
    spec: PartitionSpec,
    partitions: PartitionColumns,
    predicate: Expression)
    extends PredicateHelper {

  private def names(e: Expression): Set[String] = e.references.map(_.name).toSet

  private val (onIdentities, onOthers) = splitConjunctivePredicates(predicate)
    .partition(names(_).subsetOf(partitions.identities.toSet))

  private val onSources = onOthers.filter(names(_).subsetOf(partitions.sources.toSet))

  private val identityTest: Option[BasePredicate] = onIdentities.reduceOption(And).map { condition =>
    Predicate.create(condition.transform { case a: AttributeReference =>
      val ordinal = partitions.columns.fieldIndex(a.name)
      BoundReference(ordinal, partitions.columns(ordinal).dataType, nullable = true)
    })
  }

  private val partitionTests: Seq[Evaluator] = onSources.map { condition =>
    val found = inIceberg(condition).getOrElse(throw ZOrderErrors.icebergPredicate(table, toPrettySQL(condition)))
    new Evaluator(spec.partitionType, Projections.inclusive(spec).project(found))
  }

  // A predicate that Iceberg cannot express leaves out no file.
  private val boundTests: Seq[InclusiveMetricsEvaluator] =
    onOthers.diff(onSources).flatMap(inIceberg).map(new InclusiveMetricsEvaluator(tableSchema, _))

  private lazy val boundTestsOfOlderSpecs: Seq[InclusiveMetricsEvaluator] =
    (onIdentities ++ onOthers).flatMap(inIceberg).map(new InclusiveMetricsEvaluator(tableSchema, _))

  /** Whether a file may hold such rows, or a part of one. */
  def apply(file: IcebergFile): Boolean = {
    def isInPartition = identityTest.forall(_.eval(file.partition))
    def areWithin(tests: Seq[InclusiveMetricsEvaluator]) = tests.isEmpty || {
      val known = file.withMetrics
      tests.forall(_.eval(known))
    }
    if (file.file.specId == spec.specId)
      isInPartition && (!isOfTypes(file) || partitionTests.forall(_.eval(file.file.partition))) && areWithin(boundTests)
    // An older spec has no values that the predicates on partitions could be about, but the parts of its files have.
    else (file.part.isEmpty || isInPartition) && areWithin(boundTestsOfOlderSpecs)
  }

  /** Whether the values of a file's partition have the types of now: a branch has those of its last version. */
  private def isOfTypes(file: IcebergFile) = file.file.partition match {
    case values: PartitionData => values.getPartitionType == spec.partitionType
    case _ => true
  }

  private def inIceberg(condition: Expression): Option[TableExpression] = {
    val constant = condition.transformUp {
      case e if e.foldable && !e.isInstanceOf[Literal] => Literal(e.eval(), e.dataType)
    }
    // A text need not be a UUID, nor bytes as long as those of a column.
    TablePredicate.of(constant).filter(e => Try(Binder.bind(tableSchema.asStruct, e, true)).isSuccess)
  }
}
