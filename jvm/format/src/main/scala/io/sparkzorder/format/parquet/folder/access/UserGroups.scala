// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.util.concurrent.ConcurrentHashMap

import scala.util.Try

import org.apache.hadoop.security.UserGroupInformation

/** The groups in which users of this machine are, as far as it, or Hadoop, knows them. */
private[folder] object UserGroups {

  private val own = new Asked(new SystemCommand("id", "-u"))(_.trim.toIntOption.toSet)
  private val numbers = new Asked(new SystemCommand("id", "-G"))(_.trim.split("\\s+").flatMap(_.toIntOption).toSet)
  private val names = new Asked(new SystemCommand("id", "-Gnz"))(_.split('\u0000').filter(_.nonEmpty).toSet)

  /**
   * Whether a user is in one of some groups: by the numbers that the system has, or else by the names that Hadoop has.
   *
   * @param name
   *   of the first of them; where it is but its number, it may be a group of which this machine knows no members
   * @return
   *   None where it is not known
   */
  def isIn(user: String, groups: Set[Int], name: Option[String]): Option[Boolean] = {
    val byNumber = numbers.of(user).map(_.exists(groups))
    if (name.forall(_.forall(_.isDigit))) byNumber.filter(identity)
    else byNumber.orElse(name.flatMap(isIn(user, _)))
  }

  /**
   * Whether a user is in the group of a name, as Hadoop knows it, or the system where Hadoop cannot; None where neither does,
   * and where the name is but its number, which may be that of a group of which this machine knows no members.
   */
  def isIn(user: String, group: String): Option[Boolean] =
    if (group.forall(_.isDigit)) numbers.of(user).map(_.exists(group.toIntOption.contains)).filter(identity)
    else if (group.exists(_.isWhitespace)) names.of(user).map(_(group))
    else namesOf(user).filter(hasWhole(user, _)).map(_.contains(group))

  /** Whether a user is in the group of a number; None where this machine does not know the user. */
  def hasNumber(user: String, group: Int): Option[Boolean] = numbers.of(user).map(_(group))

  /** A user's own number; None where this machine does not know the user. */
  def numberOf(user: String): Option[Int] = own.of(user).flatMap(_.headOption)

  private def namesOf(user: String): Option[Seq[String]] =
    Try(UserGroupInformation.createRemoteUser(user).getGroupNames.toSeq).toOption.filter(_.nonEmpty)

  /** Hadoop takes a name with blanks, as `domain users`, for several: then there are more of them than groups. */
  private def hasWhole(user: String, names: Seq[String]) = numbers.of(user).forall(_.size >= names.distinct.size)

  /** What a command says of users, for some seconds. */
  private final class Asked[T](command: SystemCommand)(read: String => Set[T]) {

    private val known = new ConcurrentHashMap[String, Known[T]]

    def of(user: String): Option[Set[T]] = {
      val now = System.nanoTime()
      Option(known.get(user)).filter(now - _.at < Fresh).getOrElse {
        if (known.size >= Most) known.clear()
        val said = Known(command.output(user).map(read).filter(_.nonEmpty), now)
        known.put(user, said)
        said
      }.found
    }
  }

  /** @param found None where nothing was found out */
  private final case class Known[T](found: Option[Set[T]], at: Long)

  private val Most = 10000
  private val Fresh = 10L * 1000 * 1000 * 1000
}
