// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

/**
 * Access to a file that comes into a folder.
 *
 * @param opened
 *   as it is to be there, where the folder may close it further
 * @param closed
 *   what nobody goes beyond by then, as the folders close the files of which it is made
 */
private[parquet] final case class NewAccess(opened: Access, closed: Access) {

  /** As open as both of them. */
  def and(other: NewAccess): NewAccess = NewAccess(opened.and(other.opened), closed.and(other.closed))

  def map(change: Access => Access): NewAccess = NewAccess(change(opened), change(closed))
}

private[parquet] object NewAccess {

  /** Of a file that no folder closes further. */
  def apply(access: Access): NewAccess = NewAccess(access, access)
}
