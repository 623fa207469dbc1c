// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions

import org.apache.hadoop.fs.{LocalFileSystem, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.FsPermission

/**
 * The local file system, with permissions set in this process: Hadoop starts another one for each file, which takes
 * longer than all else that a small test does.
 */
class QuickLocalFileSystem extends LocalFileSystem(new QuickLocalFileSystem.Raw)

object QuickLocalFileSystem {
  class Raw extends RawLocalFileSystem {
    override def setPermission(path: Path, permission: FsPermission): Unit = {
      val bits = permission.toShort.toInt
      val text = "rwxrwxrwx".zipWithIndex.map { case (c, i) => if ((bits >> (8 - i) & 1) == 1) c else '-' }.mkString
      Files.setPosixFilePermissions(pathToFile(path).toPath, PosixFilePermissions.fromString(text))
    }
  }
}
