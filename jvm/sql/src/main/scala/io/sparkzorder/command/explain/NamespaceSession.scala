// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.explain

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.zorder.SparkInternals

/** A session in which names are looked up as in the text of a view. */
private[command] object NamespaceSession {

  /**
   * The session itself, or a copy of it.
   *
   * @param namespace
   *   catalog and namespace in which the view was made; none for a query that is in no view
   */
  def of(session: SparkSession, namespace: Seq[String]): SparkSession = {
    val catalogs = session.sessionState.catalogManager
    val current = catalogs.currentCatalog.name +: catalogs.currentNamespace.toSeq
    if (namespace.isEmpty || namespace == current) session
    else {
      val there = SparkInternals.copy(session)
      there.sessionState.catalogManager.setCurrentCatalog(namespace.head)
      there.sessionState.catalogManager.setCurrentNamespace(namespace.tail.toArray)
      there
    }
  }
}
