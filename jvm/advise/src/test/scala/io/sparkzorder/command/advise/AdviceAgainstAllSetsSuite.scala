// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import scala.util.Random

import io.sparkzorder.{DeltaSession, LongTest}
import io.sparkzorder.plan.AdviseLayoutStatement

import org.apache.spark.sql.{DataFrame, QueryTest}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * The mark of the advice: for workloads drawn at random it reads at most 1.1 times what the best of all sets of columns
 * reads, by the simulation and by tables that are really optimized.
 */
class AdviceAgainstAllSetsSuite extends QueryTest with DeltaSession {

  private lazy val tables = new AdvisedTables(spark)

  /** The values of each column of `t`, in their order, as often as they are there. */
  private def values(): Map[String, IndexedSeq[Any]] = {
    val t = spark.table("t")
    val rows = t.collect()
    t.columns.toSeq.zipWithIndex.map { case (column, i) =>
      column -> rows.map(_.get(i)).filter(_ != null).sorted(byValue).toIndexedSeq
    }.toMap
  }

  private val byValue: Ordering[Any] = (one, other) => one.asInstanceOf[Comparable[Any]].compareTo(other)

  /** A condition on a column: of a value, of two, or of a range, seldom a wide one. */
  private def condition(random: Random, column: String, values: IndexedSeq[Any]): String = {
    def literal(place: Int) = values(place) match {
      case s: String => s"'$s'"
      case t: java.sql.Timestamp => s"TIMESTAMP'$t'"
      case other => other.toString
    }
    def any = random.nextInt(values.size)
    random.nextInt(4) match {
      case 0 | 1 => s"$column = ${literal(any)}"
      case 2 =>
        val low = any
        val high = math.min(values.size - 1, low + (values.size * math.pow(random.nextDouble(), 3)).toInt)
        s"$column BETWEEN ${literal(low)} AND ${literal(high)}"
      case _ => s"$column IN (${literal(any)}, ${literal(any)})"
    }
  }

  /** Queries with one to three conditions on a few columns of a workload's own liking. */
  private def workload(random: Random, values: Map[String, IndexedSeq[Any]]): Seq[String] = {
    val liked = random.shuffle(values.keys.toSeq.sorted).take(2 + random.nextInt(4))
    Seq.fill(3 + random.nextInt(6)) {
      val of = random.shuffle(liked).take(1 + random.nextInt(3))
      s"SELECT * FROM t WHERE ${of.map(c => condition(random, c, values(c))).mkString(" AND ")}"
    }
  }

  private def command(text: String): AdviseLayoutCommand = {
    def found(plan: LogicalPlan): Option[AdviseLayoutCommand] = plan.collectFirst { case c: AdviseLayoutCommand => c }
    val parsed = spark.sessionState.sqlParser.parsePlan(text)
    assert(parsed.isInstanceOf[AdviseLayoutStatement])
    found(spark.sessionState.analyzer.execute(parsed)).get
  }

  private def statement(columns: Seq[String], queries: Seq[String], files: Int): String =
    s"ADVISE LAYOUT t ON (${columns.mkString(", ")}) FOR ${queries.mkString("(", "), (", ")")} " +
      s"OPTIONS (target_file_size = '${bytesOf("t") / files}', curve = 'zorder')"

  /** What the advised set and the best of all sets read, by the same simulation. */
  private def simulated(text: String): (Double, Double) = {
    val advise = command(text)
    val input = AdviceInput.of(spark, advise)
    val best = new LayoutAdvisor(spark, advise, input).advice().head
    val scans = ScansToRead.of(input.scans, input.snapshot.partitionSchema, input.partitions)
    val targets = new TargetSizes(advise.options.targetFileSize.get, input.groups, isPartitioned = false, openCost = 0)
    val trials = new LayoutTrials(input, scans, targets, input.snapshot.recordedBounds)
    def share(set: Seq[Int]) = trials.judged(set, "zorder")._2.bytes
    val all = (1 to 4).flatMap(input.columns.combinations(_)).map(share)
    (best.readShare, all.min)
  }

  private def against(rows: DataFrame, cases: Int, seed: Int): Unit = withTable("t") {
    createTable("t", rows, files = 8)
    val random = new Random(seed)
    val all = values()
    withSQLConf("spark.sql.zorder.sampleSize" -> "4000") {
      for (i <- 1 to cases) {
        val text = statement(spark.table("t").columns.toSeq, workload(random, all), files = 24)
        val (advised, best) = simulated(text)
        assert(advised <= 1.1 * best, s"case $i: $text")
      }
    }
  }

  test("random workloads: at most 1.1 times the best of all sets, by the simulation", LongTest)(
    against(tables.users(8000), cases = 4, seed = 2))

  test("the same of sales, whose tickets have one customer and one day, with NULLs", LongTest)(
    against(tables.sales(20000), cases = 2, seed = 4))

  test("the same of flights, with places that go together, and delays of which few are long", LongTest)(
    against(tables.flights(20000), cases = 2, seed = 5))

  test("tables that are really optimized by each set of three columns", LongTest) {
    withTable("t") {
      createTable("t", tables.users(12000), files = 6)
      val random = new Random(3)
      val few = Seq("user_id", "country", "latitude", "price")
      val sets = (1 to 3).flatMap(few.combinations(_))
      val queries = workload(random, values().filter { case (column, _) => few.contains(column) }).take(4)
      val text = statement(few, queries, files = 24)
      // Not all rows are in the sample, as in a table of a usual size.
      val advice = withSQLConf("spark.sql.zorder.sampleSize" -> "6000")(sql(text).head())
      val advised = advice.getAs[String]("statement")
      val read = (sets.map(set =>
        s"OPTIMIZE t ZORDER BY (${set.mkString(", ")}) " +
          advised.drop(advised.indexOf("OPTIONS"))) :+ advised).map { optimize =>
        sql(optimize).collect()
        val rows = queries.flatMap(q => sql(s"EXPLAIN SKIPPING $q").collect())
        rows.map(r => r.getAs[Long]("bytes_read").toDouble / r.getAs[Long]("bytes_total")).sum / rows.size
      }
      assert(read.last <= 1.1 * read.min, s"$advised of $text")
      // What was foreseen, too.
      assert(math.abs(advice.getAs[Double]("read_share") - read.last) <= 0.1 * math.max(read.last, 0.3), text)
    }
  }
}
