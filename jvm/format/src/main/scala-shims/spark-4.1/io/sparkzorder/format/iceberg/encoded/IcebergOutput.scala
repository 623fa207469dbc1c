// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import org.apache.iceberg.io.{OutputFile => TheirFile, PositionOutputStream => TheirStream}
import org.apache.parquet.io.{OutputFile, PositionOutputStream}

/** A file of Iceberg's, wherever a table has it, for parquet-java that Iceberg has not moved to a package of its own. */
private[encoded] final class IcebergOutput(file: TheirFile) extends OutputFile {

  private var stream: IcebergStream = _

  /** Bytes of the file, once it is closed. */
  def length: Long = stream.length

  override def create(blockSize: Long): PositionOutputStream = {
    stream = new IcebergStream(file.create())
    stream
  }

  /** No file is there before: Iceberg gives each a name of its own. */
  override def createOrOverwrite(blockSize: Long): PositionOutputStream = create(blockSize)

  override def supportsBlockSize: Boolean = false

  override def defaultBlockSize: Long = 0

  override def getPath: String = file.location
}

private final class IcebergStream(of: TheirStream) extends PositionOutputStream {

  private var isOpen = true
  private var end = 0L

  def length: Long = end

  override def getPos: Long = if (isOpen) of.getPos else end

  override def write(b: Int): Unit = of.write(b)

  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit = of.write(bytes, offset, count)

  override def flush(): Unit = of.flush()

  override def close(): Unit = if (isOpen) {
    end = of.getPos
    isOpen = false
    of.close()
  }
}
