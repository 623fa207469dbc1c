// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.file.Path

import io.sparkzorder.format.parquet.folder.access.OwnerAndMode.OfGroup

/**
 * Those whom a table's folder lets write by its group, or by its access control list.
 *
 * @param top
 *   of the table's folder
 * @param folder
 *   its path, which may lead to it by a link
 */
private[folder] final class Members(top: OwnerAndMode, folder: Path) {

  private lazy val list = Some(top).filter(_.mayWrite(OfGroup)).flatMap(_ => AccessLists.writers(folder))
  private lazy val groups = list.fold(Set(top.group))(_.groups)
  private lazy val givesGroup = top.givesGroup || MountPoints.giveGroup(folder)

  /** The name of the folder's group. */
  lazy val name: Option[String] = OwnerAndMode.groupsName(folder, isFollowed = true)

  /**
   * Whether a user may be one of them. Of whose groups nothing is known is one, where what is theirs has the folder's group;
   * and so is anybody, where others cannot give it that: a folder may give its group to all that is made in it.
   */
  def mayHave(user: Option[String], number: => Option[Int], hasGroup: Boolean): Boolean = {
    def hasOne = hasGroup && groups(top.group)
    list.exists(l => l.users.nonEmpty && number.exists(l.users)) || (hasOne && !givesGroup) ||
    user.flatMap(UserGroups.isIn(_, groups, name.filter(_ => groups(top.group)))).getOrElse(hasOne)
  }
}
