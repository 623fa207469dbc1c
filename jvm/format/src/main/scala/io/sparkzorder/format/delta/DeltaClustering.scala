// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.sparkzorder.curve.Curve
import io.sparkzorder.format.{Clustering, WriterTask}

import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.util.JsonUtils

/**
 * A [[Clustering]] as a tag of a file in Delta's log, which checkpoints keep and other engines pass over.
 *
 * The value is JSON:
 * `{"columns":[["a"],["s","x"]],"curve":"zorder","layer":false,"run":"...","batch":1,"batches":1}`.
 */
private[delta] object DeltaClustering {

  val Tag = "io.sparkzorder.clustering"

  /** What is recorded of a file; None for anything that cannot be read: the file then counts as new. */
  def of(file: AddFile): Option[Clustering] =
    Option(file.tags).flatMap(_.get(Tag)).flatMap(text => Try(read(text)).toOption)

  def tags(clustering: Option[Clustering]): Map[String, String] = clustering.map(c => Tag -> write(c)).toMap

  /** The task that wrote a file. */
  def taskOf(file: AddFile): Option[Int] = WriterTask.inName(file.path)

  private def write(c: Clustering): String = {
    val root = JsonUtils.mapper.createObjectNode()
    val columns = root.putArray("columns")
    c.columns.foreach { names =>
      val path = columns.addArray()
      names.foreach(path.add)
    }
    root.put("curve", c.curve).put("layer", c.isLayer)
    root.put("run", c.run).put("batch", c.batch).put("batches", c.batches)
    JsonUtils.mapper.writeValueAsString(root)
  }

  private def read(text: String): Clustering = {
    val root = JsonUtils.mapper.readTree(text)
    def required(name: String) = Option(root.get(name)).getOrElse(throw new IllegalArgumentException(name))
    val columns = required("columns").elements.asScala.map(_.elements.asScala.map(_.textValue).toSeq).toSeq
    val curve = required("curve").textValue
    require(columns.nonEmpty && columns.forall(_.nonEmpty) && Curve.names.contains(curve))
    Clustering(
      columns,
      curve,
      required("layer").booleanValue,
      required("run").textValue,
      required("batch").intValue,
      required("batches").intValue)
  }
}
