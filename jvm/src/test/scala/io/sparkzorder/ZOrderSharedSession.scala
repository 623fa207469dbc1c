// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import java.io.File

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkConf
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.internal.StaticSQLConf
import org.apache.spark.sql.zorder.SharedContextSession

/** A test session with this project's extension, on the one Spark context that all suites share. */
trait ZOrderSharedSession extends QueryTest with SharedContextSession with LongTestsInTurn {

  /** The value of `spark.sql.extensions`. */
  protected def sessionExtensions: Seq[String] = Seq(classOf[ZOrderSparkSessionExtension].getName)

  override protected def sparkConf: SparkConf = super.sparkConf
    .set("spark.sql.extensions", sessionExtensions.mkString(","))
    .set("spark.hadoop.fs.file.impl", classOf[QuickLocalFileSystem].getName)
    .set("spark.hadoop.fs.AbstractFileSystem.file.impl", classOf[QuickLocalFileSystem.Context].getName)
    // Spark 4.0 has them behind this setting.
    .set("spark.sql.scripting.enabled", "true")
    // What a session holds in memory here is Delta's log, of a few rows.
    .set("spark.sql.optimizer.canChangeCachedPlanOutputPartitioning", "false")
    // Small data on two cores: the defaults are 200 tasks for a shuffle, 50 for Delta's log, 10,000 for a listing.
    .set("spark.sql.shuffle.partitions", "2")
    .set("spark.databricks.delta.snapshotPartitions", "2")
    .set("spark.sql.sources.parallelPartitionDiscovery.parallelism", "2")
    // The text of each query's plan, for the UI; the default writes every operator's details.
    .set("spark.sql.ui.explainMode", "simple")
    .set("spark.sql.codegen.wholeStage", generatedCode.toString)
    .set("spark.sql.codegen.factoryMode", if (generatedCode) "CODEGEN_ONLY" else "NO_CODEGEN")
    // In tests Spark looks at the whole plan after each rule that changes it.
    .set("spark.sql.planChangeValidation", validatesPlans.toString)
    // In tests Delta computes the table's whole state twice around each commit, to compare it with the checksum file.
    .set("spark.databricks.delta.incremental.commit.forceVerifyInTests", verifiesChecksums.toString)

  /**
   * Whether queries run as generated code, as they do for users.
   *
   * For Delta's wide actions the text of the code alone, which each task writes again, takes several times as long as a
   * statement on small data takes when it is interpreted.
   */
  protected def generatedCode: Boolean = true

  /** Whether each plan is validated after each rule, as suites on rules of ours want it. */
  protected def validatesPlans: Boolean = false

  /** Whether Delta compares each commit's checksum file with the table's state. */
  protected def verifiesChecksums: Boolean = false

  /**
   * Exact figures of the layout of a table, for some columns.
   *
   * @param table
   *   as a statement names it
   * @param columns
   *   their names with commas between them
   */
  protected def layout(table: String, columns: String, where: String = ""): DataFrame = {
    def text(s: String) = "'" + s.replace("'", "\\'") + "'"
    val names = columns.split(',').map(c => text(c.trim)).mkString(", ")
    val chosen = if (where.isEmpty) "" else s", where => ${text(where)}"
    sql(s"SELECT * FROM describe_layout(table => ${text(table)}, columns => array($names)$chosen)")
  }

  override protected def beforeAll(): Unit = {
    // What a killed run left would be in the way of tables of the same name.
    // The setting is a URI.
    JavaUtils.deleteRecursively(new File(new Path(sparkConf.get(StaticSQLConf.WAREHOUSE_PATH.key)).toUri.getPath))
    super.beforeAll()
  }

  /** As Spark's own, which then runs the query once more as an RDD of objects: here where there is time. */
  override protected def checkAnswer(data: => DataFrame, expected: Seq[Row]): Unit = {
    val query = data
    val execution = query.asInstanceOf[org.apache.spark.sql.classic.Dataset[Row]].queryExecution
    for (plan <- Seq(execution.analyzed, execution.optimizedPlan, execution.executedPlan))
      assert(plan.missingInput.isEmpty, plan)
    QueryTest.checkAnswer(query, expected, checkToRDD = TestRing.isNightly)
  }
}
