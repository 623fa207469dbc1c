// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

/**
 * Access to files that tasks stage. While they are written nobody else may read them, nor own them: the table may look more
 * open, or another's, than some of the files that are read, which somebody has given other names for a moment. The driver
 * opens them, and gives them to their owner, when it knows of which files they are made.
 *
 * @param opened
 *   access as the table has it; local files have no list
 * @param driver
 *   the user of the driver
 */
private[parquet] final case class StagedAccess(opened: Access, driver: String) {

  /** Access to a file that this process makes: as open as the table from the beginning where the driver may not be able to open it. */
  def inTask: Access = {
    val me = LocalAccess.Me
    // Java's name of a user whom the machine does not know.
    if (me == driver && me != "?") opened.copy(owner = None, permission = Access.ofMe.permission) else opened
  }
}
