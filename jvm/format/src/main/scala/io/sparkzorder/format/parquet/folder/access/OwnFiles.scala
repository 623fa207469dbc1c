// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper

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
    case s".$of.crc" => isKnown(folder, of)
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

  /** Whether it is the content of one of the small files: empty, an id, a number, or JSON with the fields of one of them. */
  def isDocument(content: Array[Byte]): Boolean = content.isEmpty || {
    def text = new String(content, UTF_8).trim
    (content.length <= Id + 1 && (isId(text) || Number.matches(text))) ||
    Try(mapper.readTree(content)).toOption.exists(node => node.isObject && Forms(node.fieldNames.asScala.toSet))
  }

  private val mapper = new ObjectMapper

  private val Forms = Set(
    // Entry, verdict, what was replaced, lock.
    Set("version", "entry"),
    Set("moved"),
    Set("version", "rewrite"),
    Set("machine", "pid", "started", "host", "since", "ticks")
  )
}
