// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.access.Access
import io.sparkzorder.format.parquet.folder.opened.{CopiedFile, CreatedFile, LocalIdentity}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.hadoop.security.AccessControlException

/**
 * The folder of a Parquet table, and in it `_zorder`, which holds everything that this project keeps of the table.
 *
 * Readers pass over names that begin with `_`, so whatever lies there is no data. All paths that are written down are
 * relative to the folder; none that leads out of it is ever followed, and no operation passes a link. Nothing that lies
 * in `_zorder` is more open than the most private data file of the table.
 */
private[parquet] final class TableFolder(location: Path, conf: Configuration)
    extends FileRemoval with FileUploads with FolderProtection with KeptTrust with DurableFiles {
  import TableFolder._

  private val fs: FileSystem = location.getFileSystem(conf)

  val root: Path = fs.makeQualified(location)

  private[folder] val files: FolderFiles = LocalFiles.of(fs, root).getOrElse(new FolderFiles(fs, root))

  val own: Path = new Path(root, Name)
  val staging: Path = new Path(own, Staging)
  val rewriteLog: Path = new Path(own, Log)
  val replaced: Path = new Path(own, Replaced)
  val setAside: Path = new Path(own, "set-aside")
  val locks: Path = new Path(own, "locks")
  val statistics: Path = new Path(own, "statistics")

  /** Another table's folder, of the same settings. */
  def at(other: Path): TableFolder = new TableFolder(other, conf)

  // What the file system is

  def scheme: String = fs.getUri.getScheme

  /** The scheme of the file system of which the folder is a part, where it is reached by mounts of others (ViewFs). */
  def mountedScheme: Option[String] = files.mountedScheme

  def setting(key: String): Option[String] = Option(fs.getConf.get(key))

  /** @throws org.apache.hadoop.security.AccessControlException where this user may not write into the folder */
  def requireWritable(): Unit = files.requireWritable(root)

  /**
   * Runs what reads from the own folder.
   *
   * @throws ZOrderRuntimeException
   *   where this user may not
   */
  def permitted[T](body: => T): T = {
    def denied(cause: Throwable) = ZOrderErrors.noReadPermission(own.toString, root.toString, cause)
    // Hadoop takes a local file in a closed folder for one that is not there.
    if (Seq(own, rewriteLog).exists(files.isClosed)) throw denied(null)
    try body
    catch { case e: AccessControlException => throw denied(e) }
  }

  /**
   * A store has no folders.
   *
   * @throws ZOrderRuntimeException where a file is in the place of one of the own folders
   */
  def requireFolders(): Unit = if (!files.isStore) {
    // That of replaced files is looked at where some are to be kept.
    val folders = Set(own, staging, rewriteLog, setAside, locks, statistics)
    // What a folder lists of a file is the file.
    val inTheWay = list(own).find(s => s.isFile && folders(s.getPath))
    inTheWay.foreach(s => throw ZOrderErrors.fileInTheWay(s.getPath.toString))
  }

  /** Whether folders are but the beginnings of names. */
  def isStore: Boolean = files.isStore

  // Paths

  private val prefix = root.toUri.getPath.stripSuffix("/") + "/"

  /** The path of something in the table as it is written down; None for what does not lie in the table. */
  def relative(path: Path): Option[String] = {
    val text = fs.makeQualified(path).toUri.getPath
    if (text.startsWith(prefix) && text.length > prefix.length) Some(text.substring(prefix.length)) else None
  }

  /**
   * The location of a path that was written down.
   *
   * @throws ZOrderRuntimeException where it is not a plain path within the table
   */
  def resolve(relative: String): Path = {
    val parts = relative.split("/", -1)
    val isPlain = relative.nonEmpty && !parts.exists(p => p.isEmpty || p == "." || p == "..")
    val path = if (isPlain) new Path(root, new Path(null, null, relative)) else root
    if (!isPlain || !this.relative(path).contains(relative))
      throw ZOrderErrors.pathOutsideTable(relative, root.toString)
    files.requireNoLink(path)
    path
  }

  /** @throws ZOrderRuntimeException where a part of the path below the table's folder is a link */
  def requireNoLink(path: Path): Unit = files.requireNoLink(path)

  /** Whether a path, written down as above, leads out of the table by a link. */
  def hasLink(relative: String): Boolean = files.hasLink(unlooked(relative))

  /**
   * @param paths
   *   written down as above
   * @throws ZOrderRuntimeException
   *   where this process may find another file by one of them than a process that wrote it down, or none
   */
  def requireSameNames(paths: Iterable[String]): Unit = files.otherEncoding.foreach { encoding =>
    paths.find(_.exists(_ > '\u007f')).foreach(p => throw ZOrderErrors.fileNameEncoding(p, root.toString, encoding))
  }

  /** Where the links lead that are in the folder's own path; None where there are none. */
  def realRoot: Option[Path] = files.realRoot

  /** Whether there is a folder above the table's, or in it. */
  def isFolderAnywhere(path: Path): Boolean = files.isFolderAnywhere(path)

  /** The files and folders in a folder above the table's, or in that; none where there is no such folder. */
  def listAnywhere(path: Path): Seq[FileStatus] = files.listAnywhere(path)

  // Operations

  /** Whether this project keeps something of the table that readers may use. */
  def isKept: Boolean = files.isThere(own) && isTrusted

  /** None where there is nothing. */
  def status(path: Path): Option[FileStatus] = files.status(path)

  /** The files and folders right below; none where there is no such folder. */
  def list(path: Path): Seq[FileStatus] = files.list(path)

  /** Whether a folder is there. */
  def isThere(folder: Path): Boolean = files.isThere(folder)

  /** As [[list]], of a folder that may not be there. None where a store has nothing of it. */
  def listIfThere(path: Path): Option[Seq[FileStatus]] = files.listIfThere(path)

  /** What lies at some of a table's paths. On a local disk each is asked for, elsewhere their folders are listed. */
  def statuses(paths: Seq[Path]): Map[Path, FileStatus] =
    if (scheme == "file") paths.flatMap(p => status(p).map(p -> _)).toMap
    else {
      val names = paths.groupMap(_.getParent)(_.getName)
      names.toSeq.flatMap { case (parent, of) =>
        val wanted = of.toSet
        // Others give files names that Hadoop takes for URIs.
        list(parent).filter(s => wanted(s.getPath.getName)).map(s =>
          new Path(parent, new Path(null, null, s.getPath.getName)) -> s)
      }.toMap
    }

  /** @throws AccessControlException where something can be opened, and is no file: such as a pipe, which one would wait for */
  def requireFile(path: Path): Unit = files.requireFile(path)

  /** The content of a small file; None where there is none. */
  def read(path: Path): Option[Array[Byte]] = files.read(path)

  /** As above, of a file that was listed. */
  def read(file: FileStatus): Option[Array[Byte]] = files.read(file)

  /** Writes one of the own small files, also in the place of another. */
  def write(path: Path, content: Array[Byte]): Unit = files.write(path, content, access.ofFile)

  /** As [[write]], in the place of a file of an identity; false where a local one is another by then, which stays. */
  def writeOver(path: Path, content: Array[Byte], identity: Option[String]): Boolean =
    files.writeOver(path, content, access.ofFile, identity)

  /** Creates one of the own files, which must not be there. */
  def createNew(path: Path, content: Array[Byte]): Unit = files.createNew(path, content)

  /** Creates one of the own files twice at once; answers whether only one of the two was created. */
  def isCreatedOnce(path: Path, content: Array[Byte]): Boolean = files.isCreatedOnce(path, content)

  /** As [[createNew]], by a condition with the call that completes an object. */
  def createConditionally(path: Path, content: Array[Byte]): Unit = files.createConditionally(path, content)

  /** Creates one of the own files on a local disk, where there must be none; readers may see a part of it. */
  def createLocally(path: Path, content: Array[Byte]): Unit = files.createLocally(path, content, access.ofFile)

  /** Whether it is on a local disk, and no file system of somebody's does more with what is written and read. */
  def isPlain: Boolean = files.isPlain

  /** Settings of Hadoop by which readers of data files pass no link below the folder; none where it is not plain. */
  def readSettings: Map[String, String] = files.readSettings(None)

  /**
   * As above, and by which readers in this process read no other file than one of some identities: a folder may be exchanged
   * for another one of the table.
   *
   * @param listed
   *   see [[identities]]; the caller keeps them for as long as anybody reads by the settings
   */
  def readSettings(listed: Map[String, String]): Map[String, String] = files.readSettings(Some(listed))

  /**
   * Creates a file, and one of its sums where Hadoop keeps such, in a folder that is there of a table that is plain.
   *
   * @param access
   *   that of the file: a driver of another user gives it none
   * @throws java.nio.file.FileAlreadyExistsException
   *   where there is one, or a link
   */
  def created(path: Path, access: Access): CreatedFile = files.created(path, access)

  /** Gives a file on a local disk another name, which must be new. */
  def link(file: Path, name: Path): Unit = files.link(file, name)

  /**
   * @param identity
   *   see [[identities]]: on a local disk another file stays where it is; None where it is not known
   * @return
   *   false, or an error, where it could not be moved
   */
  def rename(from: Path, to: Path, identity: Option[String] = None): Boolean =
    files.renameVery(from, to, identity, closed = None)

  /** As [[rename]], to where a local file is no more open than it was in its folder, which may have closed it. */
  def renameAsClosed(from: Path, to: Path): Boolean = files.renameAsClosed(from, to)

  /**
   * As [[rename]], on a local disk only into the folder in which there is one of some other files: its name may lead to
   * another folder by then. That folder is held from then on; see [[hold]].
   *
   * @param others
   *   by their paths, with their identities; where there are none it may be any folder of its name
   */
  def renameBeside(from: Path, to: Path, others: Iterable[(Path, String)]): Boolean =
    files.renameBeside(from, to, others)

  /**
   * Keeps the folder of a file open on a local disk, where the file is there and has its size: then [[isInHeldFolder]] looks
   * into that folder, wherever its name leads. So it does with 64 folders at once, and not with others.
   *
   * @param path
   *   that of the file in the table
   */
  def hold(path: String, bytes: Long): Unit = files.hold(resolve(path), bytes)

  /** Ends that for a folder, by its path in the table. */
  def release(path: String): Unit = files.release(if (path.isEmpty) root else unlooked(path))

  /** Ends it for all. */
  def releaseAll(): Unit = files.releaseAll()

  /** Whether a file of this size lies in the folder that is held by its folder's path; false where none is. */
  def isInHeldFolder(path: String, bytes: Long): Boolean = files.isInHeldFolder(unlooked(path), bytes)

  /**
   * As above, whether a file lies there that was listed.
   *
   * @param identity
   *   see [[identities]]; where none is known it is any file of its size and time
   */
  def isInHeldFolder(file: ListedFile, identity: Option[String]): Boolean =
    files.isInHeldFolder(unlooked(file.path), file, identity)

  /** As [[resolve]], without a look at what is there. */
  private def unlooked(relative: String): Path = new Path(root, new Path(null, null, relative))

  /**
   * Copies a file to one that must not be there.
   *
   * @param access
   *   that of the copy on a local disk
   */
  def copy(from: Path, to: Path, access: Access = Access.ofMe): CopiedFile = files.copy(from, to, access)

  /**
   * What distinguishes files from others of the same names, sizes and times, by their paths in the table: a file that is
   * copied back from elsewhere has another identity. Without those for which the file system has none.
   */
  def identities(paths: Seq[String]): Map[String, String] = files.identities(paths.map(p => p -> resolve(p)))

  /** Whether a file on a local disk is the one that had an identity, by one look; false elsewhere. */
  def isLocallyVery(path: String, identity: String): Boolean =
    files.isLocallyVery(unlooked(path), identity)

  /**
   * What distinguishes a file from all others, as in [[identities]], wherever it lies; None where the file system is not
   * certain, as without times of birth and on stores, which move files by copies, and where the file has other names: each
   * of these is a file of its own to readers.
   *
   * @param path
   *   its path in the table
   */
  def certainOrigin(path: String): Option[String] = files.certainOrigin(path)

  /**
   * What distinguishes a file from its copies, whatever becomes of it: it stays when the file is changed, renamed, opened
   * or closed to others. None where the file system has no such thing, as stores, and where there is no file. To be
   * compared by [[TableFolder.areOneFile]].
   */
  def origin(path: Path): Option[String] = files.origin(path)

  /**
   * A number that is another one whenever the content of a file has changed, also where size and time are the same; None
   * where the file system has none. It changes with permissions, too. On stores and HDFS it is in the listing.
   */
  def state(status: FileStatus): Option[Long] = files.state(status)

  /**
   * As [[state]], of a file on a local disk when it had an identity, as in [[identities]]: so what is read of that file by
   * [[readSettings]] is of this state.
   */
  def stateOf(status: FileStatus, identity: Option[String]): Option[Long] = files.stateOf(status, identity)
}

private[sparkzorder] object TableFolder {

  /** The name of the folder in the table. */
  val Name = "_zorder"

  // Folders in it, and the file with the log's id.
  private[folder] val Staging = "staging"
  private[folder] val Log = "log"
  private[folder] val Replaced = "replaced"
  private[parquet] val LogId = "0.id"

  /** Whether a path in the table is in that folder, or the folder itself. */
  def isOwn(relative: String): Boolean = relative == Name || relative.startsWith(Own)

  private val Own = s"$Name/"

  /**
   * Whether origins are of the same file, as far as both are known.
   *
   * @param before
   *   of which `now` may have further parts
   */
  def areOneFile(before: String, now: String): Boolean = {
    val (old, all) = (before.split(' '), now.split(' '))
    all.length >= old.length && old.zip(all).forall { case (a, b) =>
      a == b || a == LocalIdentity.Unknown || b == LocalIdentity.Unknown
    }
  }

  /** Whether readers pass over a file or folder of this name, as Spark decides it. */
  def isHidden(name: String): Boolean = name.startsWith(".") || (name.startsWith("_") && !name.contains("="))
}

/** Reads and writes the small JSON files under a table's `_zorder`. */
private[parquet] object Json {
  val mapper: ObjectMapper = new ObjectMapper().registerModule(DefaultScalaModule)
}
