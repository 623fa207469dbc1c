// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import io.sparkzorder.DeltaSession

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import org.apache.spark.sql.QueryTest

class ProgressWatchSuite extends QueryTest with DeltaSession {

  private val State = "spark.sql.zorder.progress.state"

  private def read(state: String): JsonNode = new ObjectMapper().readTree(state)

  private def share(state: JsonNode, phase: String): Double = state.get("shares").get(phase).asDouble

  test("tasks before and after a shuffle weigh the same, and jobs of others do not count") {
    val states = new ConcurrentLinkedQueue[String]
    val watch = new ProgressWatch(sparkContext, "t", s => { states.add(s); () })
    def shuffle(): Long = sparkContext.parallelize(1 to 8, 4).map(x => (x, x)).reduceByKey(_ + _, 2).count()
    try {
      watch.begins(3, 300, 2, Some(5))
      jobsOf { shuffle(); watch.during(ProgressWatch.Moving)(shuffle()); shuffle() }
    } finally watch.close()
    val seen = states.asScala.toSeq.map(read)
    val moving = seen.filter(_.get("phase").asText == "moving").map(share(_, "moving"))
    assert(moving === Seq(0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0))
    assert(seen.map(share(_, "sampling")) === 0.0 +: moving.map(_ => 1.0))
    assert(seen.last.get("files").asInt === 3 && seen.last.get("bytes").asLong === 300)
    assert(seen.last.get("batch").asInt === 2 && seen.last.get("batches").asInt === 5)
  }

  test("a statement tells its client how far it is, and nobody else") {
    withTempPath { folder =>
      spark.range(0, 2000, 1, 3).selectExpr("id", "id % 7 AS a").write.parquet(folder.getPath)
      val optimize = s"OPTIMIZE '${folder.getPath}' ZORDER BY (id, a) OPTIONS (force = true)"
      val bytes = folder.listFiles.filter(_.getName.endsWith(".parquet")).map(_.length).sum
      withSQLConf(State -> "") {
        sql(optimize)
        val last = read(spark.conf.get(State))
        assert(last.get("phase").asText === "committing" && last.get("batches").asInt === 1)
        assert(last.get("files").asInt === 3 && last.get("bytes").asLong === bytes)
        assert(Seq("sampling", "moving").map(share(last, _)) === Seq(1.0, 1.0))
        withSQLConf("spark.sql.zorder.progress" -> "OFF", State -> "") {
          sql(optimize)
          assert(spark.conf.get(State) === "")
        }
      }
      sql(optimize)
      assert(spark.conf.getOption(State) === None)
    }
  }

  test("of two statements at once in a session the first one tells") {
    withSQLConf(State -> "") {
      val first = ProgressWatch.of(spark, "t").get
      assert(ProgressWatch.of(spark, "u").isEmpty)
      val another = spark.newSession()
      another.conf.set(State, "")
      ProgressWatch.of(another, "u").get.close()
      first.close()
      ProgressWatch.of(spark, "u").get.close()
    }
  }
}
