// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}

import scala.util.Try
import scala.util.matching.Regex

/** Where file systems are mounted, and how, as Linux lists it (proc(5), `mountinfo`). */
private[parquet] object MountPoints {

  private val Table = Path.of("/proc/self/mountinfo")
  private val Processes = Path.of("/proc")
  private val Place = 4
  private val Options = 5
  private val Octal = 8
  private val Escaped = raw"\\(\d{3})".r

  /** A place, and the options of the mount and of its file system. */
  final case class Mount(place: Path, options: Set[String])

  /** Those below a folder, from where nothing is renamed into it; none where the system does not list them. */
  def below(folder: Path): Seq[Path] =
    now.getOrElse(Nil).map(_.place).filter(place => place.startsWith(folder) && place != folder)

  /** Whether a file system gives each file the group of the folder in which it is made, as those of BSD do. */
  def giveGroup(folder: Path): Boolean = now.forall(giveGroup(folder, _))

  private[access] def giveGroup(folder: Path, mounts: Seq[Mount]): Boolean =
    at(folder, mounts).exists(_.options.exists(Set("grpid", "bsdgroups")))

  /** Whether this user, who is not the superuser, may not see processes of others. */
  def hideProcesses: Boolean =
    now.exists(hideProcesses) && !OwnerAndMode.of(Processes.resolve("self"), isFollowed = true)
      .exists(_.user == 0)

  private[access] def hideProcesses(mounts: Seq[Mount]): Boolean = at(Processes, mounts)
    .exists(_.options.exists(o => o.startsWith("hidepid=") && !Set("hidepid=0", "hidepid=off")(o)))

  private def at(folder: Path, mounts: Seq[Mount]): Option[Mount] = {
    val around = Try(folder.toRealPath()).toOption.toSeq.flatMap(real => mounts.filter(m => real.startsWith(m.place)))
    // Of two at one place the later one is seen.
    around.zipWithIndex.maxByOption { case (mount, i) => (mount.place.getNameCount, i) }.map(_._1)
  }

  private def now: Option[Seq[Mount]] = Try(in(Files.readAllBytes(Table))).toOption

  /** Blanks and the like are written as octal numbers; a name may have any bytes. */
  private[access] def in(table: Array[Byte]): Seq[Mount] =
    new String(table, ISO_8859_1).linesIterator.map(_.split(' ')).filter(_.length > Options).flatMap { fields =>
      val bytes = Escaped.replaceAllIn(
        fields(Place),
        m => Regex.quoteReplacement(Integer.parseInt(m.group(1), Octal).toChar.toString))
        .getBytes(ISO_8859_1)
      Try(Path.of(new String(bytes))).toOption
        .map(Mount(_, (fields(Options).split(',') ++ fields.last.split(',')).toSet))
    }.toSeq
}
