// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Path => LocalPath}
import java.nio.file.LinkOption.NOFOLLOW_LINKS

import scala.util.{Try, Using}

import io.sparkzorder.format.parquet.folder.access.{Access, KeptAccess, LocalAccess, UnixAttributes}

import org.apache.hadoop.fs.{FileSystem, Path}

/** Who may read and write the files of a table on a local disk; what is asked and given by no path that could be a link. */
private[folder] abstract class LocalFileAccess(fs: FileSystem, root: Path) extends OpenedFolders(fs, root) {
  import OpenedFolders._

  override def accessOf(path: Path): Option[Access] =
    if (local(path) == local(root)) Some(LocalAccess.of(local(root)))
    else Try(inParent(path)(viewOf(_, _).readAttributes())).toOption.map(LocalAccess.of)

  override def accessOfKept(): Seq[Access] = in(root) { folder =>
    val accesses = new UnixAttributes.Accesses
    val names = namesIn(folder).filter(_.toString != TableFolder.Name)
    KeptAccess.of(LocalAccess.of(local(root)), names.map(new Entry(folder, local(root), _, accesses)))
  }

  private final class Entry(folder: Folder, place: LocalPath, named: LocalPath, accesses: UnixAttributes.Accesses)
      extends KeptAccess.Entry(named.toString) {

    private lazy val found = viewOf(folder, named).readAttributes()

    override def isHidden: Boolean = TableFolder.isHidden(name)

    override def isFile: Boolean = found.isRegularFile

    override def access: Access = accesses.of(found)

    override def inFolder[T](body: (Access, Iterable[KeptAccess.Entry]) => T): Option[T] =
      Option.when(found.isDirectory)(Using.resource(folder.newDirectoryStream(named, NOFOLLOW_LINKS)) { stream =>
        val (inner, there) = (stream.asInstanceOf[Folder], place.resolve(named))
        body(
          LocalAccess.withSticky(there, access),
          namesIn(inner).map(new Entry(inner, there, _, accesses)))
      })
  }

  override def protect(path: Path, access: Access): Unit = inParent(path) { (folder, name) =>
    withSums(name) { one =>
      requireOnlyName(local(path.getParent).resolve(one), viewOf(folder, one).readAttributes())
      protect(folder, one, access)
    }
  }

  protected def protect(folder: Folder, name: LocalPath, access: Access): Unit =
    LocalAccess.give(viewOf(folder, name), access)

  override def narrow(path: Path, access: Access): Unit = inParent(path) { (folder, name) =>
    withSums(name) { one =>
      val (view, place) = (viewOf(folder, one), local(path.getParent).resolve(one))
      val found = view.readAttributes()
      if (found.isDirectory || LocalAccess.isOnlyName(place, found.fileKey))
        LocalAccess.give(view, LocalAccess.of(found).narrowedTo(access))
    }
  }

  override def open(path: Path, access: Access): Unit = inParent(path) { (folder, name) =>
    withSums(name) { one =>
      val (file, place) = (viewOf(folder, one), local(path.getParent).resolve(one))
      // The number of names can be asked for by the path alone, which may lead elsewhere by now.
      if (LocalAccess.isToOpen(place, access, file.readAttributes().fileKey) && (one == name || holdsSums(folder, one)))
        LocalAccess.give(file, access)
    }
  }

  /** Whether a file holds sums: somebody may have given their name to another. */
  private def holdsSums(folder: Folder, name: LocalPath): Boolean = {
    val start = ByteBuffer.allocate(LocalFileAccess.StartOfSums.length)
    Using.resource(channelOf(folder, name)) { in =>
      while (start.hasRemaining && in.read(start) >= 0) {}
    }
    start.array.sameElements(LocalFileAccess.StartOfSums)
  }
}

private object LocalFileAccess {

  // As Hadoop's `ChecksumFileSystem` writes it.
  private val StartOfSums = "crc\u0000".getBytes(US_ASCII)
}
