// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import java.lang.{Iterable => JavaIterable}

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{FileContent, Snapshot, SnapshotAncestryValidator, Table}

/**
 * Whether nobody has deleted an equality in partitions since a version. Such a delete holds for files of its own spec
 * alone: rows that come into another one would be of partitions that it is not for, or of some that it was not for before.
 * One without partitions holds for all files.
 */
private[iceberg] final class EqualitiesOfPartitions(table: Table, since: Snapshot) extends SnapshotAncestryValidator {

  /** @param ancestors the latest snapshot first */
  override def validate(ancestors: JavaIterable[Snapshot]): Boolean =
    !ancestors.asScala.iterator.takeWhile(_.snapshotId != since.snapshotId).exists { snapshot =>
      snapshot.addedDeleteFiles(table.io).asScala.exists { delete =>
        delete.content == FileContent.EQUALITY_DELETES && !table.specs.get(delete.specId).isUnpartitioned
      }
    }

  override def errorMessage: String =
    "an equality was deleted in partitions, while files came into a new partition spec"
}
