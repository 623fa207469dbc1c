// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.util.concurrent.ConcurrentHashMap

import scala.util.Try

import org.apache.hadoop.security.UserGroupInformation

/** The groups in which users of this machine are, as far as it, or Hadoop, knows them. */
private[folder] object UserGroups {

  private val numbers = new SystemCommand("id", "-G")
  private val known = new ConcurrentHashMap[String, Known]
  private val Most = 10000
  private val Fresh = 10L * 1000 * 1000 * 1000

  private final case class Known(groups: Set[Int], at: Long)

  /**
   * Whether a user is in one of some groups. Hadoop may have the groups of a cluster, and knows no names with blanks; the
   * system has numbers.
   *
   * @param name
   *   of the first of them; where it is but its number, it may be a group of which this machine knows no members
   * @return
   *   None where it is not known
   */
  def isIn(user: String, groups: Set[Int], name: Option[String]): Option[Boolean] = {
    def byName = name.exists(n => namesOf(user).exists(_.contains(n)))
    val byNumber = numbersOf(user).map(_.exists(groups))
    if (byNumber.contains(true) || byName) Some(true)
    else if (name.forall(n => n.forall(_.isDigit))) None
    else byNumber.orElse(namesOf(user).map(_ => false))
  }

  private def namesOf(user: String): Option[Seq[String]] =
    Try(UserGroupInformation.createRemoteUser(user).getGroupNames.toSeq).toOption.filter(_.nonEmpty)

  private def numbersOf(user: String): Option[Set[Int]] = {
    val now = System.nanoTime()
    Option(known.get(user)).filter(now - _.at < Fresh).map(_.groups).orElse {
      if (known.size >= Most) known.clear()
      val found = numbers.output(user).map(_.trim.split("\\s+").flatMap(_.toIntOption).toSet).filter(_.nonEmpty)
      found.foreach(groups => known.put(user, Known(groups, now)))
      found
    }
  }
}
