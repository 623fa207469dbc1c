// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.faults

import org.apache.hadoop.fs.Path

/** What becomes of calls on data files: a method may throw, or wait. */
trait FileFaults {
  def opening(path: Path): Unit = ()

  /** `position`: of the bytes about to be read. */
  def reading(path: Path, position: Long): Unit = ()

  def creating(path: Path): Unit = ()

  /** Of a file that was written, when it is all there. */
  def closing(path: Path): Unit = ()
}

object FileFaults {
  object None extends FileFaults
}
