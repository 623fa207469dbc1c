// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.collection.mutable

import org.apache.iceberg.{TableMetadata, TableOperations}
import org.apache.iceberg.catalog.TableIdentifier
import org.apache.iceberg.exceptions.{
  BadRequestException,
  CommitFailedException,
  CommitStateUnknownException,
  ForbiddenException
}
import org.apache.iceberg.hadoop.HadoopCatalog
import org.apache.iceberg.io.{FileIO, LocationProvider}

/** A catalog of files that takes, or does not take, the commits of snapshots as a test says. */
final class FailingCatalog extends HadoopCatalog {
  import FailingCatalog._

  override protected def newTableOps(identifier: TableIdentifier): TableOperations = {
    val all = super.newTableOps(identifier)
    new TableOperations {
      override def current(): TableMetadata = all.current
      override def refresh(): TableMetadata = all.refresh()
      override def io(): FileIO = all.io
      override def metadataFileLocation(name: String): String =
        if (isFull && name.endsWith(".avro")) throw new IllegalStateException("no space left")
        else all.metadataFileLocation(name)
      override def locationProvider(): LocationProvider = all.locationProvider

      override def commit(base: TableMetadata, changed: TableMetadata): Unit = {
        val isSnapshot = base != null && base.snapshots.size < changed.snapshots.size
        val answer = if (isSnapshot && answers.nonEmpty) answers.dequeue() else Take
        if (isSnapshot) asked += 1
        answer match {
          case Take => all.commit(base, changed)
          case Refuse => throw new CommitFailedException("refused")
          case Break => throw new IllegalStateException("broken")
          case Concurrently(change) =>
            change()
            all.commit(base, changed)
          case TakeBefore(change) =>
            all.commit(base, changed)
            change()
          case Reject => throw new BadRequestException("rejected")
          case Forbid => throw new ForbiddenException("forbidden")
          case TakeAndForbid =>
            all.commit(base, changed)
            throw new ForbiddenException("forbidden")
          case TakeAndRefuse(change) =>
            all.commit(base, changed)
            change()
            throw new CommitFailedException("refused")
          case TakeWithoutAnswer =>
            all.commit(base, changed)
            throw new CommitStateUnknownException(new RuntimeException("no answer"))
        }
      }
    }
  }
}

object FailingCatalog {

  sealed trait Answer
  case object Take extends Answer
  case object Refuse extends Answer
  case object Break extends Answer
  case object TakeWithoutAnswer extends Answer
  case object Forbid extends Answer
  case object TakeAndForbid extends Answer
  case object Reject extends Answer

  /** Somebody else commits first. */
  final case class Concurrently(change: () => Unit) extends Answer

  /** Somebody does something right afterwards. */
  final case class TakeBefore(change: () => Unit) extends Answer

  /** It is taken, somebody does something, and the answer is that it was not. */
  final case class TakeAndRefuse(change: () => Unit) extends Answer

  /** To the next commits of snapshots; all later ones are taken. */
  val answers: mutable.Queue[Answer] = mutable.Queue.empty

  /** Whether manifests cannot be written. */
  var isFull: Boolean = false

  /** The number of commits of snapshots. */
  var asked: Int = 0
}
