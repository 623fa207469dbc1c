// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import scala.jdk.CollectionConverters._

import org.apache.iceberg.spark.{CommitMetadata, SparkSQLProperties}
import org.apache.spark.sql.SparkSession

/** What users have put into the summaries of the snapshots that they make, as Iceberg's own writes do. */
private[iceberg] object SnapshotProperties {

  /** Those of the session, and before them those of whoever called it by Iceberg's `CommitMetadata`. */
  def of(session: SparkSession): Map[String, String] = {
    val prefix = SparkSQLProperties.SNAPSHOT_PROPERTY_PREFIX
    val ofSession = session.conf.getAll.collect {
      case (key, value) if key.startsWith(prefix) => key.stripPrefix(prefix) -> value
    }
    ofSession ++ CommitMetadata.commitProperties.asScala
  }
}
