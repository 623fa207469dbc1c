// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.FileNotFoundException

import io.sparkzorder.errors.ZOrderErrors

import org.apache.hadoop.fs.Path

/** Reads and writes the small files of a table's own folder. */
private[folder] trait SmallFiles { folder: TableFolder =>

  /** Writes a small file in one step: whoever reads it finds all of it or no file. */
  def write(path: Path, content: Array[Byte]): Unit = {
    requireNoLink(path)
    val draft = new Path(path.getParent, s".${path.getName}.draft")
    overwrite(draft, content)
    ownership.copyTo(root, draft)
    if (!fs.rename(draft, path)) {
      fs.delete(draft, false)
      // A concurrent process that finishes the same rewrite may have been faster.
      if (status(path).isEmpty) throw ZOrderErrors.cannotMove(draft.toString, path.toString)
    }
  }

  /** Writes a small file of which a reader may see a part. */
  def overwrite(path: Path, content: Array[Byte]): Unit = {
    val out = fs.create(path, true)
    try {
      out.write(content)
      out.hsync()
    } finally out.close()
  }

  /** The content of a small file; None where there is none. */
  def read(path: Path): Option[Array[Byte]] =
    try {
      val in = fs.open(path)
      try Some(in.readAllBytes())
      finally in.close()
    } catch { case _: FileNotFoundException => None }
}
