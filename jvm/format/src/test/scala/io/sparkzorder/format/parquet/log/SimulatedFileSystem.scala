// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, FileNotFoundException, IOException, InputStream}
import java.net.URI
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util
import java.util.concurrent.{CompletableFuture, ConcurrentHashMap, ConcurrentLinkedDeque}
import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.sparkzorder.format.parquet.folder.FolderFiles

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.CommonPathCapabilities.FS_MULTIPART_UPLOADER
import org.apache.hadoop.fs.impl.MultipartUploaderBuilderImpl
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.statistics.IOStatistics
import org.apache.hadoop.util.Progressable

/** The files of a simulated file system, and how it answers. */
final class SimulatedDisk(val kind: SimulatedDisk.Kind) {

  /** Whether the next call that changes something fails: before it happens, or with its answer lost. */
  var fault: () => Option[SimulatedDisk.Fault] = () => None

  import SimulatedDisk.Node

  private val nodes = new util.TreeMap[String, Node]()
  private var clock = 0L
  private var changesOfLog = 0L
  private var sumOfMarks = SimulatedDisk.spread(kind.scheme.hashCode)

  put("/", Node(None, 0))

  def now: Long = clock

  def tick(): Long = { clock += 1; clock }

  def get(path: String): Option[Node] = Option(nodes.get(path))

  def contains(path: String): Boolean = nodes.containsKey(path)

  /** It is another one after each change below `_zorder`, except of what is staged. */
  def logVersion: Long = changesOfLog

  /** The same for disks on which a reader finds the same, whatever the times and the id of the log. */
  def mark: Long = sumOfMarks

  def put(path: String, node: Node): Unit = {
    remove(path)
    nodes.put(path, node)
    placed(path) = clock
    if (!SimulatedDisk.isStaged(path)) sumOfMarks += SimulatedDisk.mark(path, node)
  }

  def remove(path: String): Unit = {
    val before = nodes.remove(path)
    if (!SimulatedDisk.isStaged(path)) {
      if (path.contains("/_zorder")) changesOfLog += 1
      if (before != null) sumOfMarks -= SimulatedDisk.mark(path, before)
    }
  }

  private lazy val placed = mutable.HashMap.empty[String, Long]

  /** When something got its name; a file that was renamed keeps its own time. */
  def timeOfName(path: String): Option[Long] = if (contains(path)) placed.get(path) else None

  private val lookedAt = mutable.HashMap.empty[(AnyRef, String), Option[Node]]
  private val deletedUnseen = mutable.Set.empty[String]

  /** Notes what a process saw of a file. */
  def look(path: String): Unit = if (!path.contains("/_zorder")) lookedAt((Scheduler.current, path)) = get(path)

  /** Notes that a process deletes a file. */
  def delete(path: String): Unit = {
    // A file that was restored is equal to the one that was looked at, and not the same.
    val seen = lookedAt.get((Scheduler.current, path)).map(_.map(_.identity))
    if (seen != Some(get(path).map(_.identity))) deletedUnseen += path
  }

  /** Whether a file was deleted that took the place of another after the one who deleted it had looked. */
  def isDeletedUnseen(path: String): Boolean = deletedUnseen(path)

  def below(path: String): Seq[String] = {
    val prefix = path.stripSuffix("/") + "/"
    // The character behind `/`.
    val all = nodes.subMap(prefix, false, path.stripSuffix("/") + "0", false).keySet
    all.asScala.toList
  }

  /** Uploads that are neither completed nor aborted, with the parts that they have; by their handles. */
  val uploads: mutable.Map[String, mutable.Map[Int, Array[Byte]]] = mutable.LinkedHashMap.empty

  private var started = 0

  def startUpload(path: String): String = {
    started += 1
    val handle = s"upload $started of $path"
    uploads(handle) = mutable.Map.empty
    handle
  }

  def children(path: String): Seq[String] = {
    val depth = path.stripSuffix("/").length + 1
    below(path).filter(_.indexOf('/', depth) < 0)
  }
}

object SimulatedDisk {

  sealed trait Fault
  case object NotDone extends Fault
  case object AnswerLost extends Fault

  /** @param content None for a folder */
  final case class Node(content: Option[Array[Byte]], time: Long) {

    /** Of its own for each file that is written, as inodes have it; a file that is renamed keeps it. */
    val identity: Long = identities.incrementAndGet()

    /** As a line is a row. */
    lazy val rows: Option[Seq[String]] = content.map(new String(_, UTF_8).split("\n").toSeq.filter(_.nonEmpty))
  }

  private val identities = new AtomicLong

  private val Times = """"modificationTime":\d+|"identities":\{[^}]*\}""".r

  private def mark(path: String, node: Node): Long =
    if (path.startsWith("/t/_zorder/log/")) {
      // Names have the log's id between the first two dots.
      val name = path.split('.').patch(1, Nil, 1).mkString(".")
      val text = node.content.fold("")(new String(_, UTF_8))
      val log = path.split('.').lift(1).filter(_.nonEmpty)
      val content = if (path.endsWith("0.id")) "" else Times.replaceAllIn(log.fold(text)(text.replace(_, "")), "")
      mark(name, content.hashCode)
    } else mark(path, node.content.fold(-1)(util.Arrays.hashCode))

  private def mark(path: String, content: Int): Long =
    spread((path.hashCode.toLong << 32) ^ (content & 0xffffffffL) ^ spread(path.length))

  private def spread(n: Long): Long = {
    val a = (n ^ (n >>> 30)) * 0xbf58476d1ce4e5b9L
    val b = (a ^ (a >>> 27)) * 0x94d049bb133111ebL
    b ^ (b >>> 31)
  }

  /** What no reader looks at. */
  def isStaged(path: String): Boolean = path.contains("/_zorder/staging") || path.contains("/_temporary")

  /**
   * @param listsInSteps
   *   names first, then each file
   * @param renames
   *   whether a rename is one call, or a copy and a deletion
   * @param deletesAtOnce
   *   a folder with all that is in it
   * @param overwrites
   *   whether a rename replaces a file
   * @param uploads
   *   whether files are sent in parts
   */
  sealed abstract class Kind(
      val scheme: String,
      val listsInSteps: Boolean,
      val renames: Boolean,
      val deletesAtOnce: Boolean,
      val overwrites: Boolean,
      val uploads: Boolean)
  case object Local extends Kind("simlocal", true, true, false, true, false)
  case object Hdfs extends Kind("simhdfs", false, true, true, false, false)
  case object S3 extends Kind("sims3", false, false, false, false, true)
  case object S3WithoutUploads extends Kind("sims3copies", false, false, false, false, false)

  val kinds: Seq[Kind] = Seq(Local, Hdfs, S3, S3WithoutUploads)

  final class Host(val name: String) {
    @volatile var disk: SimulatedDisk = _
  }

  private val known = new ConcurrentHashMap[String, Host]()
  private val hosts = new AtomicLong
  private val free = new ConcurrentLinkedDeque[Host]()

  /** The host that a disk has until it is given back; each is used again, as Hadoop's file systems are costly to make. */
  def mount(disk: SimulatedDisk): Host = {
    val host = Option(free.pollFirst()).getOrElse(new Host(s"t${hosts.incrementAndGet()}"))
    known.putIfAbsent(host.name, host)
    host.disk = disk
    host
  }

  def unmount(host: Host): Unit = free.addFirst(host)

  def host(name: String): Host = known.get(name)

  val conf: Configuration = {
    val c = new Configuration(false)
    kinds.foreach(kind => c.set(s"fs.${kind.scheme}.impl", classOf[SimulatedFileSystem].getName))
    c.set(s"${ExclusiveCreation.Setting}simhdfs", "rename")
    c
  }
}

/** Hadoop's view of a [[SimulatedDisk]]. Each call is a step of a [[Scheduler]], some are several. */
class SimulatedFileSystem extends FileSystem {
  import Scheduler.before

  private var uri: URI = _
  private var root: Path = _

  private var host: SimulatedDisk.Host = _

  private def disk: SimulatedDisk = host.disk

  private val paths = new ConcurrentHashMap[String, Path]()

  /** Made once, as it takes far longer than a look at the file. */
  def path(path: String): Path = {
    if (paths.size > 2000) paths.clear()
    paths.computeIfAbsent(path, new Path(root, _))
  }

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    setConf(conf)
    uri = URI.create(s"${name.getScheme}://${name.getHost}")
    root = new Path(uri.toString + "/")
    host = SimulatedDisk.host(name.getHost)
  }

  override def getUri: URI = uri
  override def getWorkingDirectory: Path = root
  override def setWorkingDirectory(path: Path): Unit = ()
  override def setPermission(path: Path, permission: FsPermission): Unit = ()

  private def key(path: Path) = path.toUri.getPath

  /** No reader looks at what is staged. */
  private def changed(path: String): Unit =
    if (!SimulatedDisk.isStaged(path)) Scheduler.changed()

  private def status(path: String): Option[FileStatus] = disk.get(path).map { node =>
    new SimulatedFileSystem.Status(node, this.path(path))
  }

  override def getFileStatus(path: Path): FileStatus = {
    before(s"status ${key(path)}")
    disk.look(key(path))
    status(key(path)).getOrElse(throw new SimulatedFileSystem.Missing(path.toString))
  }

  override def listStatus(path: Path): Array[FileStatus] = {
    before(s"list ${key(path)}")
    if (!disk.contains(key(path))) throw new SimulatedFileSystem.Missing(path.toString)
    val names = disk.children(key(path))
    names.flatMap { name =>
      if (disk.kind.listsInSteps) before(s"look at $name")
      disk.look(name)
      status(name)
    }.toArray
  }

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    before(s"open ${key(path)}")
    val node =
      disk.get(key(path)).flatMap(_.content).getOrElse(throw new SimulatedFileSystem.Missing(path.toString))
    new FSDataInputStream(new SimulatedFileSystem.Bytes(node)) {
      override def readAllBytes(): Array[Byte] = node.clone()
    }
  }

  /** A call that changes something, and may fail. */
  private def changing[T](body: => T): T = Option(disk.fault()).flatten match {
    case Some(SimulatedDisk.NotDone) => throw new SimulatedFileSystem.Failed("the call has failed")
    case Some(SimulatedDisk.AnswerLost) =>
      body
      throw new SimulatedFileSystem.Failed("the answer is lost")
    case None => body
  }

  private def put(path: String, content: Array[Byte]): Unit = {
    makeParents(path)
    disk.put(path, SimulatedDisk.Node(Some(content), disk.tick()))
    changed(path)
  }

  private def makeParents(path: String): Unit =
    Iterator.iterate(path.substring(0, path.lastIndexOf('/')))(p => p.substring(0, p.lastIndexOf('/')))
      .takeWhile(_.nonEmpty).filterNot(disk.contains).foreach(p =>
        disk.put(p, SimulatedDisk.Node(None, disk.tick())))

  private def stream(path: String, isConditional: Boolean): FSDataOutputStream = {
    val bytes = new ByteArrayOutputStream {
      private var isOpen = true
      override def close(): Unit = if (isOpen) {
        isOpen = false
        before(s"complete $path")
        changing {
          if (isConditional && disk.contains(path)) throw new FileAlreadyExistsException(path)
          put(path, toByteArray)
        }
      }
    }
    new FSDataOutputStream(bytes, null)
  }

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    val at = key(path)
    before(s"create $at")
    if (!overwrite && disk.contains(at)) throw new FileAlreadyExistsException(at)
    // On a store nothing is to be seen before the object is complete.
    if (disk.kind.renames) put(at, Array.emptyByteArray)
    stream(at, isConditional = false)
  }

  override def createFile(path: Path): FSDataOutputStreamBuilder[_, _] = new SimulatedFileSystem.Builder(
    this,
    path,
    isConditional => { before(s"create ${key(path)}"); stream(key(path), isConditional) })

  override def hasPathCapability(path: Path, capability: String): Boolean = capability match {
    case FolderFiles.ConditionalOverwrite => disk.kind != SimulatedDisk.Hdfs
    case FS_MULTIPART_UPLOADER => disk.kind.uploads
    case _ => false
  }

  override def createMultipartUploader(base: Path): MultipartUploaderBuilder[_, _] =
    new SimulatedFileSystem.UploaderBuilder(this, base)

  private[log] def startUpload(path: Path): String = {
    before(s"start an upload of ${key(path)}")
    changing(disk.startUpload(key(path)))
  }

  private def openUpload(handle: String): mutable.Map[Int, Array[Byte]] =
    disk.uploads.getOrElse(handle, throw new SimulatedFileSystem.Missing(handle))

  private[log] def putPart(handle: String, number: Int, content: Array[Byte]): Unit = {
    before(s"put part $number of $handle")
    changing(openUpload(handle)(number) = content)
  }

  private[log] def completeUpload(handle: String, path: Path, parts: Seq[Int]): Unit = {
    before(s"complete $handle")
    changing {
      val sent = openUpload(handle)
      disk.uploads.remove(handle)
      put(key(path), parts.flatMap(sent(_)).toArray)
    }
  }

  private[log] def abortUpload(handle: String): Unit = {
    before(s"abort $handle")
    changing {
      openUpload(handle)
      disk.uploads.remove(handle)
    }: Unit
  }

  override def rename(from: Path, to: Path): Boolean = {
    val (source, target) = (key(from), key(to))
    before(s"rename $source to $target")
    val parent = target.substring(0, target.lastIndexOf('/'))
    if (disk.kind.renames) changing {
      val can = disk.contains(source) && disk.contains(parent) &&
        (disk.kind.overwrites || !disk.contains(target))
      if (can) {
        disk.delete(source)
        disk.put(target, disk.get(source).get)
        disk.remove(source)
        changed(target)
      }
      can
    }
    else {
      if (disk.contains(target)) throw new FileAlreadyExistsException(target)
      before(s"copy $source to $target")
      put(target, disk.get(source).flatMap(_.content).getOrElse(throw new SimulatedFileSystem.Missing(source)))
      before(s"delete $source after its copy")
      disk.delete(source)
      disk.remove(source)
      true
    }
  }

  override def delete(path: Path, recursive: Boolean): Boolean = {
    val at = key(path)
    before(s"delete $at")
    if (!disk.contains(at)) false
    else if (disk.below(at).nonEmpty && !recursive) throw new SimulatedFileSystem.Failed(s"$at is not empty")
    else changing {
      disk.delete(at)
      if (disk.kind.deletesAtOnce) disk.below(at).foreach(disk.remove)
      else
        disk.below(at).reverse.foreach { file =>
          before(s"delete $file")
          disk.remove(file)
          changed(file)
        }
      // Somebody may have put a file there since.
      val isEmpty = disk.below(at).isEmpty
      if (isEmpty) disk.remove(at)
      changed(at)
      isEmpty
    }
  }

  override def mkdirs(path: Path, permission: FsPermission): Boolean = {
    before(s"mkdirs ${key(path)}")
    makeParents(key(path) + "/x")
    true
  }

  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream =
    throw new UnsupportedOperationException
}

object SimulatedFileSystem {

  // Without stacks: making one takes longer than all else in a call, and a failing schedule prints its calls.
  private final class Missing(path: String) extends FileNotFoundException(path) {
    override def fillInStackTrace(): Throwable = this
  }

  private final class Status(node: SimulatedDisk.Node, path: Path)
      extends FileStatus(node.content.fold(0L)(_.length.toLong), node.content.isEmpty, 1, 1, node.time, path)
      with EtagSource {
    override def getEtag: String = node.identity.toString
  }

  private final class Failed(message: String) extends IOException(message) {
    override def fillInStackTrace(): Throwable = this
  }

  private final class Bytes(content: Array[Byte])
      extends ByteArrayInputStream(content) with Seekable with PositionedReadable {
    override def seek(to: Long): Unit = pos = to.toInt
    override def getPos: Long = pos
    override def seekToNewSource(to: Long): Boolean = false
    override def read(at: Long, into: Array[Byte], offset: Int, length: Int): Int =
      throw new UnsupportedOperationException
    override def readFully(at: Long, into: Array[Byte], offset: Int, length: Int): Unit =
      throw new UnsupportedOperationException
    override def readFully(at: Long, into: Array[Byte]): Unit = throw new UnsupportedOperationException
  }

  private final class Builder(fs: FileSystem, path: Path, open: Boolean => FSDataOutputStream)
      extends FSDataOutputStreamBuilder[FSDataOutputStream, Builder](fs, path) {
    override def getThisBuilder: Builder = this
    override def build(): FSDataOutputStream = open(getMandatoryKeys.contains(FolderFiles.ConditionalOverwrite))
  }

  private final class UploaderBuilder(fs: SimulatedFileSystem, base: Path)
      extends MultipartUploaderBuilderImpl[Uploader, UploaderBuilder](fs, base) {
    override def getThisBuilder: UploaderBuilder = this
    override def build(): Uploader = new Uploader(fs)
  }

  private final class Uploader(fs: SimulatedFileSystem) extends PartsOfUploads {

    private def handle(of: UploadHandle) = new String(of.toByteArray, UTF_8)

    /** Whatever a call answers comes with the future, as of a thread of its own. */
    private def answer[T](body: => T): CompletableFuture[T] = {
      val future = new CompletableFuture[T]
      try future.complete(body)
      catch { case e: IOException => future.completeExceptionally(e) }
      future
    }

    override def startUpload(path: Path): CompletableFuture[UploadHandle] =
      answer(BBUploadHandle.from(ByteBuffer.wrap(fs.startUpload(path).getBytes(UTF_8))))

    override protected def put(
        upload: UploadHandle,
        number: Int,
        bytes: InputStream,
        length: Long): CompletableFuture[PartHandle] = answer {
      fs.putPart(handle(upload), number, bytes.readNBytes(length.toInt))
      BBPartHandle.from(ByteBuffer.wrap(number.toString.getBytes(UTF_8)))
    }

    override def complete(
        upload: UploadHandle,
        path: Path,
        parts: util.Map[Integer, PartHandle]): CompletableFuture[PathHandle] = answer {
      fs.completeUpload(handle(upload), path, parts.asScala.keys.map(_.intValue).toSeq.sorted)
      new PathHandle {
        override def bytes: ByteBuffer = ByteBuffer.allocate(0)
      }
    }

    override def abort(upload: UploadHandle, path: Path): CompletableFuture[Void] = answer[Void] {
      fs.abortUpload(handle(upload))
      null
    }

    override def abortUploadsUnderPath(path: Path): CompletableFuture[Integer] =
      throw new UnsupportedOperationException

    override def close(): Unit = ()
    override def getIOStatistics: IOStatistics = null
  }
}
