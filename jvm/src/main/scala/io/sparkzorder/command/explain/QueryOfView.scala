// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.explain

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogStorageFormat, CatalogTable, CatalogTableType}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, View}
import org.apache.spark.sql.types.StructType

/** A query in the text of a view, whose names are looked up where the view was made. */
private[command] object QueryOfView {

  /**
   * The query as Spark would analyze it there.
   *
   * @param namespace
   *   catalog and namespace of the view; none for a query that is in no view
   */
  def of(session: SparkSession, query: LogicalPlan, namespace: Seq[String]): LogicalPlan = {
    val catalogs = session.sessionState.catalogManager
    val current = catalogs.currentCatalog.name +: catalogs.currentNamespace.toSeq
    // A view sees none of the session's temporary views, so that it is made only where it makes a difference.
    if (namespace.isEmpty || namespace == current) query
    else {
      val view = CatalogTable(
        TableIdentifier("query"),
        CatalogTableType.VIEW,
        CatalogStorageFormat.empty,
        new StructType,
        properties = CatalogTable.catalogAndNamespaceToProps(namespace.head, namespace.tail)
      )
      View(view, isTempView = false, query)
    }
  }
}
