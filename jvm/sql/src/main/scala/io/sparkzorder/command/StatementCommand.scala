// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import io.sparkzorder.errors.{UnexpectedError, UnreadableFile}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.execution.command.LeafRunnableCommand

/** The command of one of our statements: no error leaves it without a condition, and without the file to blame. */
private[command] trait StatementCommand extends LeafRunnableCommand {

  /** What messages call the statement. */
  protected def statement: String

  protected def execute(session: SparkSession): Seq[Row]

  final override def run(session: SparkSession): Seq[Row] =
    UnexpectedError.named(statement)(UnreadableFile.named(execute(session)))
}
