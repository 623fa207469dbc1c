// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.file.{Files, Path, Paths}

/** A new folder where nothing is waited for, if the system has such a place: a rewrite syncs some fifty times. */
private[log] object FolderInMemory {

  private val Memory = Paths.get("/dev/shm")

  def create(name: String): Path =
    if (Files.isWritable(Memory)) Files.createTempDirectory(Memory, name) else Files.createTempDirectory(name)
}
