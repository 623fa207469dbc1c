// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import java.io.File
import java.lang.reflect.InvocationTargetException

import io.sparkzorder.config.Versions
import io.sparkzorder.ZOrderSharedSession
import io.sparkzorder.format.delta.DeltaMissing

import org.apache.spark.sql.{AnalysisException, QueryTest, SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.catalog.{CatalogStorageFormat, CatalogTable, CatalogTableType}
import org.apache.spark.sql.connector.catalog.{Identifier, Table}
import org.apache.spark.sql.execution.command.RunnableCommand
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/** A Spark without Delta Lake: this project's classes, loaded where Delta's cannot be found. */
class TableFormatsSuite extends QueryTest with ZOrderSharedSession {

  private object WithoutDelta extends ClassLoader(getClass.getClassLoader) {
    override def loadClass(name: String, resolve: Boolean): Class[_] =
      if (name.startsWith("io.delta.") || name.startsWith("org.apache.spark.sql.delta.")) {
        throw new ClassNotFoundException(name)
      } else if (name.startsWith("io.sparkzorder.") || name.startsWith("org.apache.spark.sql.zorder.")) {
        Option(findLoadedClass(name)).getOrElse {
          val in = getParent.getResourceAsStream(name.replace('.', '/') + ".class")
          try {
            val bytes = in.readAllBytes()
            defineClass(name, bytes, 0, bytes.length)
          } finally in.close()
        }
      } else super.loadClass(name, resolve)
  }

  private def load(name: String): Class[_] = WithoutDelta.loadClass(name, false)

  private def module(name: String): AnyRef = load(name + "$").getField("MODULE$").get(null)

  private def error(body: => Any): AnalysisException =
    intercept[InvocationTargetException](body).getTargetException.asInstanceOf[AnalysisException]

  /** The formats as they are without Delta Lake. */
  private def formats: AnyRef =
    load("io.sparkzorder.Formats$").getMethod("all").invoke(module("io.sparkzorder.Formats"))

  private def statement: AnyRef = load(classOf[TableStatement].getName)
    .getConstructor(classOf[String], java.lang.Boolean.TYPE, java.lang.Boolean.TYPE)
    .newInstance("OPTIMIZE ... ZORDER BY", Boolean.box(false), Boolean.box(false))
    .asInstanceOf[AnyRef]

  private def resolvePath(format: Option[String], path: String): Any = {
    val table = load(classOf[UnresolvedPathTable].getName)
      .getConstructor(classOf[Option[_]], classOf[String], load(classOf[TableStatement].getName))
      .newInstance(format, path, statement)
    val method = formats.getClass.getMethods.find(_.getName == "resolvePath").get
    method.invoke(formats, spark, table.asInstanceOf[AnyRef])
  }

  private val missing = s"io.delta:delta-spark_${Versions("spark.minor")}_2.13:4.4.0"

  test("a Delta table by its folder is refused, with what to add") {
    for ((format, path, name) <- Seq(
        (Some("delta"), "/tmp/t", "delta.`/tmp/t`"),
        (Some("DELTA"), "/tmp/t", "DELTA.`/tmp/t`")))
      requireMissing(resolvePath(format, path), name)
    withTempDir { folder =>
      new File(folder, "_delta_log").mkdir()
      requireMissing(resolvePath(None, folder.getPath), s"'${folder.getPath}'")
    }
  }

  private def requireMissing(body: => Any, name: String): Unit =
    checkError(
      error(body),
      "ZORDER_DELTA_NOT_ON_CLASS_PATH",
      Some("56038"),
      Map("table" -> name, "package" -> missing))

  test("a Delta table of the catalog is refused, with what to add") {
    // As a table that was made with Delta Lake looks in the catalog of a session without it.
    def resolved(provider: String): ResolvedTable = {
      val schema = new StructType().add("a", "int")
      val name = TableIdentifier(provider, Some("default"), Some("spark_catalog"))
      val entry = CatalogTable(
        name,
        CatalogTableType.MANAGED,
        CatalogStorageFormat.empty,
        schema,
        provider = Some(provider))
      // Of Spark's own package, like what makes it.
      val table = Class
        .forName("org.apache.spark.sql.connector.catalog.V1Table")
        .getConstructor(classOf[CatalogTable])
        .newInstance(entry)
        .asInstanceOf[Table]
      ResolvedTable.create(SparkInternals.sessionCatalog(spark), Identifier.of(Array("default"), provider), table)
    }
    val method = formats.getClass.getMethods.find(_.getName == "tableOf").get
    def of(provider: String): Any = method.invoke(formats, spark, resolved(provider), statement)
    val e = error(of("delta"))
    assert((e.getCondition, e.getSqlState) === (("ZORDER_DELTA_NOT_ON_CLASS_PATH", "56038")))
    assert(e.getMessageParameters.get("package") === missing)
    assert(e.getMessageParameters.get("table").endsWith("default.delta"))
    assert(error(of("csv")).getCondition === "ZORDER_UNSUPPORTED_FORMAT")
  }

  test("the extension itself needs no Delta Lake") {
    val missing = "io.sparkzorder.format.delta.DeltaMissing"
    assert(load(missing + "$").getMethod("isPresent").invoke(module(missing)) === false)
    val extension = load("io.sparkzorder.ZOrderSparkSessionExtension").getConstructor().newInstance()
    val extensions = new SparkSessionExtensions
    extension.asInstanceOf[SparkSessionExtensions => Unit](extensions)
    // The rules are made when a session is; each is run on a plan that is not ours.
    val build = classOf[SparkSessionExtensions].getDeclaredMethods.find(_.getName == "buildResolutionRules").get
    build.setAccessible(true)
    val rules = build
      .invoke(extensions, spark: SparkSession)
      .asInstanceOf[Seq[
        org.apache.spark.sql.catalyst.rules.Rule[org.apache.spark.sql.catalyst.plans.logical.LogicalPlan]]]
    val plan = SparkInternals.plan(spark.range(1).toDF())
    assert(rules.nonEmpty && rules.forall(_.apply(plan) eq plan))
  }

  test("EXPLAIN SKIPPING needs no Delta Lake") {
    withTable("t") {
      sql("CREATE TABLE t (a INT) USING parquet")
      val query = spark.sessionState.sqlParser.parsePlan("SELECT a FROM t WHERE a = 1")
      val command = load("io.sparkzorder.command.ExplainSkippingCommand").getConstructors.head
        .newInstance(query, formats, Nil)
      val rows = command.asInstanceOf[RunnableCommand].run(spark)
      assert(rows.map(_.toSeq.tail) === Seq(Seq.fill(9)(0L) :+ null))
    }
  }

  test("with Delta Lake there, it is seen") {
    assert(DeltaMissing.isPresent)
  }
}
