// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import org.apache.hadoop.fs.Path

/** Tells by folders whether a scan is one of a table. */
private[workload] object TableFolders {

  /** Whether `path` is of the table in `folder`; of none where nobody tells its folder. */
  def isIn(path: Path, folder: Option[Path]): Boolean = folder.exists(isIn(path, _))

  /** Whether `path` is the folder of the table or lies in it, as far as both say on which file system they are. */
  def isIn(path: Path, folder: Path): Boolean = {
    def differ(a: String, b: String) = a != null && b != null && !a.equalsIgnoreCase(b)
    val (inner, outer) = (path.toUri, folder.toUri)
    !differ(inner.getScheme, outer.getScheme) && !differ(inner.getAuthority, outer.getAuthority) &&
    s"${inner.getPath.stripSuffix("/")}/".startsWith(s"${outer.getPath.stripSuffix("/")}/")
  }
}
