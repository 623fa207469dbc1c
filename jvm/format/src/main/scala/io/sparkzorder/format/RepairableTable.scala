// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import org.apache.spark.sql.SparkSession

/** A table of which this project itself keeps the log of rewrites, which may be damaged. */
trait RepairableTable extends ReadableTable {

  /**
   * Finds what of the log cannot be read, and makes it whole again. Takes the table exclusively by itself, as nobody can
   * finish an interrupted rewrite before.
   *
   * @param dryRun
   *   only says what would be done
   * @return
   *   what is done; none where all can be read
   * @throws ZOrderRuntimeException
   *   where it cannot be proved which files count; then nothing is changed
   */
  def repair(session: SparkSession, dryRun: Boolean): Seq[RepairableTable.Step]
}

object RepairableTable {

  /** The statement's name, for errors. */
  val Statement = "FSCK REPAIR TABLE"

  /**
   * @param document
   *   path of the file that cannot be read, relative to the table
   * @param condition
   *   why it cannot be read
   * @param rewrite
   *   the number of its rewrite; None where it belongs to all of them
   * @param folder
   *   the folder of the data files, relative to the table; None for a step that concerns no data files
   * @param action
   *   what is done
   * @param files
   *   the data files that it is done with, relative to the table
   * @param reason
   *   how it is known that this is right
   * @param movedTo
   *   the folder in which they lie afterwards; None where they stay
   */
  final case class Step(
      document: String,
      condition: String,
      rewrite: Option[Long],
      folder: Option[String],
      action: String,
      files: Seq[String],
      reason: String,
      movedTo: Option[String])
}
