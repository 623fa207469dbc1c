// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.delta.actions.{Action, AddFile}
import org.apache.spark.sql.delta.util.JsonUtils

/**
 * Changes file actions by way of their JSON, the form that Delta's protocol fixes: the constructor and `copy` of
 * [[AddFile]] change from one release of Delta to the next.
 */
private[delta] object DeltaActions {

  /** The action of a file whose rows the table had before, with `statistics` and `tags` where they are given. */
  def rewritten(file: AddFile, statistics: Option[String], tags: Map[String, String]): AddFile = {
    val root = JsonUtils.mapper.readTree(file.json)
    val add = root.get("add").asInstanceOf[ObjectNode]
    add.put("dataChange", false)
    statistics.foreach(add.put("stats", _))
    if (tags.nonEmpty) {
      val all = add.withObjectProperty("tags")
      tags.foreach { case (key, value) => all.put(key, value) }
    }
    Action.fromJson(JsonUtils.mapper.writeValueAsString(root)).asInstanceOf[AddFile]
  }
}
