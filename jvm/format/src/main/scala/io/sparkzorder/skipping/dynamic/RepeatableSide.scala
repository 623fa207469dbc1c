// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import io.sparkzorder.skipping.scan.BetweenKeys

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.execution.datasources.{FileFormat, FileIndex, HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.types.NumericType

/**
 * A side of a join that can be read twice at little cost, with the same rows both times.
 *
 * @param plan
 *   has the rows of that side, or more than these, which make the bounds of its keys wider
 * @param source
 *   the files, or the kept rows, below
 * @param isSmaller
 *   whether fewer rows than those of the files are likely to come out, or files need not be read
 * @param hasMore
 *   whether there are rows that the side has not, on which an expression may fail that does not fail on the side's
 * @param bytesOfVersion
 *   where the files are those of a version of a table, their bytes
 */
final private[dynamic] case class RepeatableSide(
    plan: LogicalPlan,
    source: LogicalPlan,
    isSmaller: Boolean,
    hasMore: Boolean = false,
    bytesOfVersion: Option[BigInt] = None) {

  /** The files below, if it has any that may be others when they are listed again. */
  def files: Option[FileIndex] = source match {
    case LogicalRelation(relation: HadoopFsRelation, _, _, _, _) => Some(relation.location)
    case _ => None
  }

  /** Bytes of the source, of all columns. Many files take long to add up, and few sides are asked. */
  private lazy val bytes: BigInt = bytesOfVersion.getOrElse(source match {
    case files: LogicalRelation => files.relation.sizeInBytes
    case rows => rows.stats.sizeInBytes
  })

  /** How large, in bytes, a scan that may be pruned has to be for one more reading of this side to pay. */
  def leastScanBytes: BigInt = bytes * (if (isSmaller) 10 else 50)

  /** Whether an expression can be computed over these rows with the values that it has over the side's. */
  def has(expression: Expression): Boolean =
    expression.references.subsetOf(plan.outputSet) && RepeatableSide.isRepeatable(expression) &&
      (!hasMore || RepeatableSide.neverFails(expression))

  private[dynamic] def where(condition: Expression): RepeatableSide = {
    val all = RepeatableSide.conjuncts(condition)
    val isWhole = all.forall(has)
    // One that is left out may be why another one does not fail, or a column that is computed below.
    def isOfFiles(e: Expression) = e.references.subsetOf(source.outputSet)
    val kept = if (isWhole) all else all.filter(c => has(c) && isOfFiles(c) && RepeatableSide.neverFails(c))
    val wide = copy(hasMore = hasMore || !isWhole)
    kept.reduceOption(And).fold(wide) { c =>
      wide.copy(plan = Filter(c, plan), isSmaller = isSmaller || RepeatableSide.isLikelySelective(c))
    }
  }

  private[dynamic] def select(expressions: Seq[NamedExpression]): RepeatableSide =
    copy(plan = Project(expressions.filter(has), plan))

  /**
   * The query for the bounds of keys of a join, which reads this side once for all of them. A row for which an expression
   * fails counts for nothing: where the join itself comes to it, it fails, and else the row has no match.
   */
  def bounds(keys: Seq[BoundedJoinKey]): LogicalPlan = {
    def value(e: Expression) = if (RepeatableSide.isColumn(e)) e else TryEval(e)
    val values = keys.flatMap(k => k.least ++ k.greatest).distinct.map(e => e -> Alias(value(e), "key")()).toMap
    val of = keys.map(k => (k.least.map(values(_).toAttribute), k.greatest.map(values(_).toAttribute)))
    Aggregate(Nil, Seq(Alias(BetweenKeys.bounds(of), "bounds")()), Project(values.values.toSeq, plan))
  }
}

/** @param indexes know which scans by a format's own reader are of a version of a table */
final private[dynamic] class RepeatableSides(indexes: ScanIndexes) {

  /**
   * The rows of a plan, or more than these, of files that are filtered and projected, or of rows that are kept somewhere,
   * such as those of MERGE's source. Filters and columns that have other values when they are computed again, such as
   * Delta's counting of rows, are left out.
   */
  def of(plan: LogicalPlan): Option[RepeatableSide] = plan match {
    case Project(expressions, child) => of(child).map(_.select(expressions))
    case Filter(condition, child) => of(child).map(_.where(condition))
    // Of a query that is planned again when a part of it has run.
    case LogicalQueryStage(before, _) => of(before)
    case files: LogicalRelation if !files.isStreaming =>
      files.relation match {
        case relation: HadoopFsRelation if ReadsAll(relation) && hasRowsOfAnyColumns(relation.fileFormat) =>
          Some(RepeatableSide(plan, source = plan, isSmaller = false))
        case _ => None
      }
    case rows: DataSourceV2ScanRelation =>
      indexes.bytesOfVersion(rows.scan).map { bytes =>
        RepeatableSide(plan, source = plan, isSmaller = false, bytesOfVersion = Some(bytes))
      }
    case rows: LogicalRDD if rows.rdd.isCheckpointed => Some(inMemory(rows))
    case rows: LocalRelation if !rows.isStreaming => Some(inMemory(rows))
    case _ => None
  }

  /** Of text, which rows there are, and which are damaged, depends on the columns that are read. */
  private def hasRowsOfAnyColumns(format: FileFormat): Boolean = format match {
    case _: ParquetFileFormat | _: OrcFileFormat => true
    case _ => false
  }

  private def inMemory(rows: LogicalPlan): RepeatableSide =
    RepeatableSide(rows, source = rows, isSmaller = true)
}

private[dynamic] object RepeatableSide extends PredicateHelper {

  /** Whether an expression has the same value each time, and is none of a user's functions. */
  private def isRepeatable(expression: Expression): Boolean = expression.deterministic && !expression.exists {
    case _: PlanExpression[_] | _: UserDefinedExpression => true
    case _ => false
  }

  private def conjuncts(condition: Expression): Seq[Expression] = splitConjunctivePredicates(condition)

  /** Of any row: comparisons of columns, also as numbers of a type that has all of their values, as INT is made BIGINT. */
  private def neverFails(expression: Expression): Boolean = expression match {
    case _: Attribute | _: Literal => true
    case Cast(child, to: NumericType, _, _) =>
      child.dataType.isInstanceOf[NumericType] && Cast.canUpCast(child.dataType, to) && neverFails(child)
    case _: Alias | _: BinaryComparison | _: In | _: InSet | _: IsNull | _: IsNotNull | _: And | _: Or | _: Not =>
      expression.children.forall(neverFails)
    case _ => false
  }

  private def isColumn(expression: Expression): Boolean = expression match {
    case _: Attribute | Alias(_: Attribute, _) => true
    case _ => false
  }
}
