// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.format.Clustering

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.delta.actions.AddFile

class DeltaClusteringSuite extends SparkFunSuite {

  private val clustering = Clustering(Seq(Seq("a.b"), Seq("s", "é\"x")), "hilbert", isLayer = true, "run-1", 2, 7)

  private def file(tags: Map[String, String], path: String = "part-00012-uuid-c000.snappy.parquet"): AddFile =
    AddFile(path, Map.empty, 1L, 1L, dataChange = false, tags = tags)

  test("what is written is read") {
    val tags = DeltaClustering.tags(Some(clustering))
    assert(tags.keySet === Set("io.sparkzorder.clustering") && DeltaClustering.of(file(tags)) === Some(clustering))
    assert(DeltaClustering.tags(None).isEmpty)
    // Together with what the file already carries.
    val action = DeltaActions.rewritten(file(Map("OTHER" -> "1")), None, tags)
    assert(action.tags === tags + ("OTHER" -> "1"))
  }

  test("anything else counts as nothing") {
    val good = DeltaClustering.tags(Some(clustering)).values.head
    assert(good.contains("\"layer\":true"))
    val otherwise = Seq("hilbert" -> "peano", "layer" -> "overlay").map { case (word, other) =>
      good.replace(word, other)
    }
    val odd = Seq("", "{}", "[]", "null", good.dropRight(1), """{"columns":[]}""") ++ otherwise
    for (text <- odd) assert(DeltaClustering.of(file(Map(DeltaClustering.Tag -> text))) === None, text)
    assert(DeltaClustering.of(file(Map.empty)) === None && DeltaClustering.of(file(null)) === None)
  }

  test("the task in a file's name") {
    for ((path, task) <- Seq(
        "part-00012-uuid-c000.snappy.parquet" -> Some(12),
        "a=1/b=part-00001-x/part-123456-uuid-c000.parquet" -> Some(123456),
        "xY/part-00000-uuid.parquet" -> Some(0),
        "data.parquet" -> None,
        "part-99999999999-uuid.parquet" -> None
      )) assert(DeltaClustering.taskOf(file(Map.empty, path)) === task, path)
  }
}
