// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.util.concurrent.ConcurrentHashMap

import scala.util.Try

import org.apache.hadoop.security.UserGroupInformation

/** The groups in which users of this machine are, as far as it, or Hadoop, knows them. */
private[folder] object UserGroups {

  private val (own, numbers) = (new SystemCommand("id", "-u"), new SystemCommand("id", "-G"))
  private val known = new ConcurrentHashMap[String, Known]
  private val Most = 10000
  private val Fresh = 10L * 1000 * 1000 * 1000

  /** @param groups None where nothing was found out */
  private final case class Known(groups: Option[Set[Int]], at: Long)

  /**
   * Whether a user is in one of some groups: by the numbers that the system has, or else by the names that Hadoop has.
   *
   * @param name
   *   of the first of them; where it is but its number, it may be a group of which this machine knows no members
   * @return
   *   None where it is not known
   */
  def isIn(user: String, groups: Set[Int], name: Option[String]): Option[Boolean] = {
    val byNumber = numbersOf(user).map(_.exists(groups))
    if (name.forall(_.forall(_.isDigit))) byNumber.filter(identity)
    else byNumber.orElse(name.flatMap(isIn(user, _)))
  }

  /** Whether a user is in the group of a name, as Hadoop knows it; None where it does not, or the name is but its number. */
  def isIn(user: String, group: String): Option[Boolean] =
    if (group.exists(_.isWhitespace) || group.forall(_.isDigit)) None
    else namesOf(user).filter(hasWhole(user, _)).map(_.contains(group))

  /** A user's own number; None where this machine does not know the user. */
  def numberOf(user: String): Option[Int] = own.output(user).flatMap(_.trim.toIntOption)

  private def namesOf(user: String): Option[Seq[String]] =
    Try(UserGroupInformation.createRemoteUser(user).getGroupNames.toSeq).toOption.filter(_.nonEmpty)

  /** Hadoop takes a name with blanks, as `domain users`, for several: then there are more of them than groups. */
  private def hasWhole(user: String, names: Seq[String]) = numbersOf(user).forall(_.size >= names.distinct.size)

  private def numbersOf(user: String): Option[Set[Int]] = {
    val now = System.nanoTime()
    Option(known.get(user)).filter(now - _.at < Fresh).getOrElse {
      if (known.size >= Most) known.clear()
      val found = numbers.output(user).map(_.trim.split("\\s+").flatMap(_.toIntOption).toSet).filter(_.nonEmpty)
      val read = Known(found, now)
      known.put(user, read)
      read
    }.groups
  }
}
