// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.faults

import java.io.FilterOutputStream

import org.apache.hadoop.fs.{
  FSDataInputStream,
  FSDataOutputStream,
  FSInputStream,
  LocalFileSystem,
  Path,
  RawLocalFileSystem
}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/** The local file system, with faults where a test wants them. */
class FaultyFileSystem extends LocalFileSystem(new FaultyFileSystem.Raw) {

  private def faults(path: Path): FileFaults =
    if (FaultyFileSystem.isData(path.getName) && !path.toString.contains("_delta_log")) FaultyFileSystem.faults
    else FileFaults.None

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    faults(path).opening(path)
    new FSDataInputStream(new FaultyFileSystem.Input(super.open(path, bufferSize), faults(path).reading(path, _)))
  }

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    faults(path).creating(path)
    val out = super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress)
    new FSDataOutputStream(new FaultyFileSystem.Output(out, () => faults(path).closing(path)), null)
  }
}

object FaultyFileSystem {

  /** Also of files that are staged. */
  private def isData(name: String) = name.endsWith(".parquet") || name.endsWith(".parquet.staged")

  // One for all instances: Hadoop makes them.
  @volatile private var faults: FileFaults = FileFaults.None

  /** Runs `body` with faults, in all threads of this JVM. */
  def having[T](theseFaults: FileFaults)(body: => T): T = {
    faults = theseFaults
    try body
    finally faults = FileFaults.None
  }

  // Hadoop starts a process for each, which takes longer than all else that a small test does.
  private class Raw extends RawLocalFileSystem {
    override def setPermission(path: Path, permission: FsPermission): Unit = ()
  }

  private class Input(in: FSDataInputStream, reading: Long => Unit) extends FSInputStream {

    override def read(): Int = {
      reading(in.getPos)
      in.read()
    }

    override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
      reading(in.getPos)
      in.read(bytes, offset, length)
    }

    override def seek(position: Long): Unit = in.seek(position)

    override def getPos: Long = in.getPos

    override def seekToNewSource(position: Long): Boolean = in.seekToNewSource(position)

    override def close(): Unit = in.close()
  }

  private class Output(stream: FSDataOutputStream, closing: () => Unit) extends FilterOutputStream(stream) {

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = stream.write(bytes, offset, length)

    // A stream that failed to close stays open to the caller, as over a network; its bytes are on the disk.
    override def close(): Unit = {
      stream.close()
      closing()
    }
  }
}
