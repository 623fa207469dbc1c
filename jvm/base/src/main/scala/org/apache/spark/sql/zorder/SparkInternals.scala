// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.zorder

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.{ExtendedAnalysisException, InternalRow, TableIdentifier}
import org.apache.spark.sql.catalyst.analysis.ApplyCharTypePaddingHelper
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Expression, FileSourceConstantMetadataAttribute}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{Dataset, SparkSession => ClassicSession}
import org.apache.spark.sql.connector.catalog.{
  CatalogManager,
  CatalogPlugin,
  CatalogV2Util,
  Column,
  Table,
  TableCatalog,
  V1Table
}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan}
import org.apache.spark.sql.execution.datasources.{DataSourceStrategy, DataSourceUtils, HadoopFsRelation}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Strategy
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.{QueryExecutionListener, SchemaUtils}
import org.apache.spark.util.{KnownSizeEstimation, Utils}

/** The only code of this project in Spark's own package: what it needs of Spark's private members. */
object SparkInternals {

  /** A DataFrame of a logical plan. Analyses the plan, runs nothing. */
  def dataFrame(session: SparkSession, plan: LogicalPlan): DataFrame =
    Dataset.ofRows(session.asInstanceOf[ClassicSession], plan)

  /** The provider of a table of Spark's session catalog, such as parquet; None for another catalog's table. */
  def v1Provider(table: Table): Option[String] = catalogTable(table).map(_.provider.getOrElse("hive"))

  /** Spark's check of an analyzed plan, the errors of which say what is wrong and do not show the plan. */
  def checkWithoutPlan(session: SparkSession, plan: LogicalPlan): Unit =
    try session.asInstanceOf[ClassicSession].sessionState.analyzer.checkAnalysis(plan)
    catch {
      case e: ExtendedAnalysisException => throw ErrorWithoutPlan.of(e)
    }

  /** The built-in catalog, whatever the user has put in front of it. */
  def sessionCatalog(session: SparkSession): TableCatalog =
    session.asInstanceOf[ClassicSession].sessionState.catalogManager.v2SessionCatalog.asInstanceOf[TableCatalog]

  /** The name of the built-in catalog. */
  val SessionCatalog: String = CatalogManager.SESSION_CATALOG_NAME

  /** Whether a catalog has the name of the built-in one, be it that or what the user has put in front of it. */
  def isSessionCatalog(catalog: CatalogPlugin): Boolean = CatalogV2Util.isSessionCatalog(catalog)

  /** The logical plan of a DataFrame. */
  def plan(data: DataFrame): LogicalPlan = data.asInstanceOf[Dataset[_]].queryExecution.analyzed

  /** A session with the settings, catalogs and temporary views of `session`, to change at will. */
  def copy(session: SparkSession): SparkSession = session.asInstanceOf[ClassicSession].cloneSession()

  /** The rows of a DataFrame in Spark's internal form, as one SQL execution called `name`. */
  def collect(data: DataFrame, name: String): Array[InternalRow] = {
    val execution = data.asInstanceOf[Dataset[_]].queryExecution
    SQLExecution.withNewExecutionId(execution, Some(name)) {
      execution.executedPlan.executeCollect()
    }
  }

  /** Runs the physical plan of a DataFrame with `body`, as one SQL execution called `name`. */
  def execute[T](data: DataFrame, name: String)(body: SparkPlan => T): T = {
    val execution = data.asInstanceOf[Dataset[_]].queryExecution
    SQLExecution.withNewExecutionId(execution, Some(name))(body(execution.executedPlan))
  }

  /** The catalog's entry of a table of Spark's session catalog; None for another catalog's table. */
  def catalogTable(table: Table): Option[CatalogTable] = table match {
    case v1: V1Table => Some(v1.catalogTable)
    case _ => None
  }

  /** The characters that a text takes on a screen, as `show` counts them: an ideograph takes two. */
  def width(text: String): Int = Utils.stringHalfWidth(text)

  /** The text with line breaks and the like escaped, as `show` prints it. */
  def inOneLine(text: String): String = SchemaUtils.escapeMetaCharacters(text)

  /** The memory of the task that runs here; None outside of tasks. */
  def taskMemory: Option[TaskMemoryManager] = Option(TaskContext.get()).map(_.taskMemoryManager())

  /** What the task that runs here has written, for Spark's metrics. */
  def reportWritten(bytes: Long, rows: Long): Unit = Option(TaskContext.get()).foreach { task =>
    task.taskMetrics().outputMetrics.setBytesWritten(bytes)
    task.taskMetrics().outputMetrics.setRecordsWritten(rows)
  }

  /** Ends the task that runs here if Spark has killed it: loops of our own have to ask. */
  def stopIfKilled(): Unit = Option(TaskContext.get()).foreach(_.killTaskIfInterrupted())

  /** The same columns, none of which promises to hold no NULL. */
  def asNullable(schema: StructType): StructType = schema.asNullable

  /** Columns as a table of a catalog shows them. */
  def columns(schema: StructType): Array[Column] = CatalogV2Util.structTypeToV2Columns(schema)

  /** Lets a session forget what it knows of a table's files. */
  def refresh(session: SparkSession, name: Option[TableIdentifier], path: Path): Unit = {
    val classic = session.asInstanceOf[ClassicSession]
    name.foreach(classic.sessionState.catalog.refreshTable)
    classic.catalog.refreshByPath(path.toString)
  }

  /** What listens to the queries of a session. */
  def queryListeners(session: SparkSession): Seq[QueryExecutionListener] =
    session.asInstanceOf[ClassicSession].listenerManager.listListeners().toSeq

  /** Filters of a scan as it hands them to the readers of files: those that the data source API can express. */
  def pushedFilters(relation: HadoopFsRelation, filters: Seq[Expression]): Seq[Filter] = {
    val nested = DataSourceUtils.supportNestedPredicatePushdown(relation)
    filters
      // Of a file's own name, size and so on its reader knows nothing.
      .filterNot(_.references.exists {
        case FileSourceConstantMetadataAttribute(_) => true
        case _ => false
      })
      .flatMap(DataSourceStrategy.translateFilter(_, nested))
  }

  /** A predicate as tables of other catalogs get it; None for one that the API for them cannot express. */
  def connectorPredicate(predicate: Expression): Option[Predicate] = DataSourceV2Strategy.translateFilterV2(predicate)

  /** A filter over a subquery that has run as tables of other catalogs get it; None for one of no column. */
  def runtimePredicate(filter: Expression): Option[Predicate] = DataSourceV2Strategy.translateRuntimeFilterV2(filter)

  /**
   * The expression with constants padded wherever a column of type CHAR(n) is compared, and the column if asked.
   */
  def withPaddedComparisons(expression: Expression, padColumn: Boolean): Expression =
    expression.transformUp {
      case e if e.childrenResolved =>
        ApplyCharTypePaddingHelper.singleNodePaddingForStringComparison(e, padCharCol = padColumn)
    }
}

/** What Spark broadcasts without looking at all that it leads to, such as clients of a store. */
trait KnownSize extends KnownSizeEstimation
