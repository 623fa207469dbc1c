// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

/**
 * Access to a file that comes into a folder.
 *
 * @param opened
 *   as it is to be there, where the folder may close it further
 * @param closed
 *   what nobody goes beyond by then, as the folders close the files of which it is made
 * @param ways
 *   access to each of these files and to the folders around it, those that differ
 */
private[parquet] final case class NewAccess(opened: Access, closed: Access, ways: Set[List[Access]]) {

  /** As open as both of them. */
  def and(other: NewAccess): NewAccess =
    NewAccess(opened.and(other.opened), closed.and(other.closed), ways ++ other.ways)

  def map(change: Access => Access): NewAccess = copy(opened = change(opened), closed = change(closed))

  /** Whether a user may certainly look into all folders around these files. */
  def areFoldersOpenTo(user: String): Boolean = ways.forall(_.drop(1).forall(_.isEnteredBy(user)))

  /** Whether a user may certainly read all these files. */
  def isReadBy(user: String): Boolean = areFoldersOpenTo(user) && ways.forall(_.headOption.forall(_.isReadBy(user)))

  /** Given to whom the folder prefers only if that one may read all these files. */
  def forReader: NewAccess = map(access => access.copy(preferred = access.preferred.filter(isReadBy)))
}

private[parquet] object NewAccess {

  /** Of a file that no folder closes further. */
  def apply(access: Access): NewAccess = NewAccess(access, access, Set(List(access)))

  /**
   * Of one that is made of a file.
   *
   * @param way
   *   access to that file, and to the folders around it, the innermost first
   * @param left
   *   how many of these it leaves
   */
  def of(way: List[Access], left: Int): NewAccess = {
    def reached(folders: Int) = way.slice(1, folders + 1).foldLeft(way.head)(_.reachedBy(_))
    NewAccess(reached(left), reached(way.size - 1), Set(way))
  }
}
