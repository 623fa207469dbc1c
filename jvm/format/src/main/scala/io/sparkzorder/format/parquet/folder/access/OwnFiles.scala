// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/**
 * What this project keeps of a table, by names and content. Who may write into a table's folder may give any file or folder
 * a name there, also of what is closed to them: so nothing but this is opened to others, or deleted as left by others.
 */
private[parquet] object OwnFiles {

  private val Id = 36

  /** The folders in `_zorder`. */
  val Folders: Set[String] = Set("log", "staging", "replaced", "set-aside", "locks", "statistics", "runs")

  /** Whether it is an id as logs, rewrites and locks have, by which their files are known. */
  def isId(text: String): Boolean = text.length == Id && Try(UUID.fromString(text)).isSuccess

  /** Whether it is the name of what a statement has staged, of a draft, or of a draft of the statistics index. */
  private def isStaged(name: String): Boolean =
    isId(name) || Drafts.exists(b => name.startsWith(b) && isId(name.drop(b.length)))

  private val Drafts = Seq(".draft-", ".statistics-")

  /**
   * Whether something in one of the own folders has a name that is made there. Those in folders of rows or of their bounds
   * are not looked at: these are closed whatever is in them.
   *
   * @param folder
   *   name of the folder in `_zorder`; empty for `_zorder` itself
   */
  def isKnown(folder: String, name: String): Boolean = name match {
    // Sums are of files, and right in `_zorder` lie only folders.
    case s".$of.crc" => folder.nonEmpty && isKnown(folder, of)
    case s".draft-$id" => isId(id)
    // Of older builds.
    case s".$of.draft" => isId(of.takeRight(Id)) && isKnown(folder, of.dropRight(Id + 1))
    case s".$of.renewed" => isId(of)
    case s".clock-$id" => isId(id)
    case hidden if OfSystems.exists(hidden.startsWith) => true
    case _ => folder match {
        case "" => Folders(name)
        case "log" => name == "0.id" || OfLog.matches(name)
        case "locks" => isId(name)
        case "staging" => isStaged(name)
        case "replaced" => OfReplaced.matches(name)
        case "runs" => Number.matches(name)
        case _ => false
      }
  }

  // Of NFS, FUSE and macOS.
  private val OfSystems = Seq(".nfs", ".fuse_hidden", ".DS_Store")

  private val OfLog = """\d{20}\.[0-9A-Za-z_-]+(\.[0-9A-Za-z_-]+)*""".r
  private val OfReplaced = """\d{1,18}\.[0-9A-Za-z_-]+(\.json)?""".r
  private val Number = """\d{1,19}""".r

  /** The largest document that is read to know it, in bytes: an entry for a million files is of this order. */
  val LargestDocument: Long = 1L << 28

  /**
   * Whether a file in one of the own folders is what its name says. Somebody may have given that name to a file that is closed
   * to them: so a part of the name has to be in the content, or the other way round, which they do not know. Of files without
   * content, of which the name alone counts, and of numbers nothing shows it.
   *
   * @param folder
   *   name of the folder in `_zorder`
   * @param others
   *   the names of all files in it
   * @param read
   *   what a file of some name has in it; None where there is none
   */
  def isDocument(
      folder: String,
      name: String,
      content: Array[Byte],
      others: => Seq[String],
      read: String => Option[Array[Byte]]): Boolean = (folder, name) match {
    case ("log", "0.id") =>
      val id = new String(content, UTF_8)
      isId(id) && others.exists { case OfEntry(_, log, _) => log == id; case _ => false }
    case ("log", OfEntry(number, log, "json")) =>
      entryOf(content).exists(e => textOf(e, "log") == log && numberOf(e, "number") == number.toLongOption)
    case ("log", OfEntry(number, log, OfVerdict(id))) => fieldsOf(content, "moved").exists { document =>
        val moved = document.get("moved")
        val entry = read(s"$number.$log.json").flatMap(entryOf).filter(textOf(_, "id") == id)
        val folders = entry.map(e => elements(e.path("folders")).map(textOf(_, "path")).toSet)
        moved.isArray && folders.exists(of => elements(moved).forall(f => f.isTextual && of(f.asText)))
      }
    case ("replaced", OfKept(number, id)) =>
      keptOf(content).exists(r => textOf(r, "id") == id && numberOf(r, "number") == number.toLongOption)
    case ("locks", id) => isId(id) && fieldsOf(content, OfLock: _*).isDefined
    case _ => false
  }

  /**
   * The files that came into the table by a rewrite, by their paths, as its entry or its document says; their names are unlike
   * those of any other table.
   */
  def added(content: Array[Byte]): Seq[String] = {
    val folders = entryOf(content).orElse(keptOf(content)).toSeq.flatMap(r => elements(r.path("folders")))
    folders.flatMap(f => elements(f.path("added"))).map(file => textOf(file, "path"))
  }

  private def entryOf(content: Array[Byte]) = fieldsOf(content, "version", "entry").map(_.get("entry"))

  private def keptOf(content: Array[Byte]) = fieldsOf(content, "version", "rewrite").map(_.get("rewrite"))

  /** Whether a content is that of the record of a run. */
  def isNumber(content: Array[Byte]): Boolean =
    content.length <= LongestNumber && Number.matches(new String(content, UTF_8).trim)

  private val LongestNumber = 20

  private val OfEntry = """(\d{20})\.([0-9A-Za-z_-]+)\.(.+)""".r
  private val OfVerdict = """([0-9A-Za-z_-]+)\.verdict""".r
  private val OfKept = """(\d{1,18})\.([0-9A-Za-z_-]+)\.json""".r
  private val OfLock = Seq("machine", "pid", "started", "host", "since", "ticks")

  private val mapper = new ObjectMapper

  /** The JSON object that has these fields, and no others. */
  private def fieldsOf(content: Array[Byte], fields: String*): Option[JsonNode] =
    Try(mapper.readTree(content)).toOption
      .filter(node => node != null && node.isObject && node.fieldNames.asScala.toSet == fields.toSet)

  private def textOf(node: JsonNode, field: String): String = node.path(field).asText

  private def numberOf(node: JsonNode, field: String): Option[Long] =
    Some(node.path(field)).filter(_.isIntegralNumber).map(_.asLong)

  private def elements(node: JsonNode): Seq[JsonNode] = node.elements.asScala.toSeq
}
