package io.sparkzorder.format.delta

import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.delta.actions.{Action, AddFile}
import org.apache.spark.sql.delta.util.JsonUtils

/**
 * Changes file actions by way of their JSON, the form that Delta's protocol fixes: the constructor and `copy` of
 * [[AddFile]] change from one release of Delta to the next.
 */
private[delta] object DeltaActions {

  /** The action of a file whose rows the table had before, with `statistics` where they are given. */
  def rewritten(file: AddFile, statistics: Option[String] = None): AddFile = {
    val root = JsonUtils.mapper.readTree(file.json)
    val add = root.get("add").asInstanceOf[ObjectNode]
    add.put("dataChange", false)
    statistics.foreach(add.put("stats", _))
    Action.fromJson(JsonUtils.mapper.writeValueAsString(root)).asInstanceOf[AddFile]
  }
}
