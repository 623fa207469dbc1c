// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

/**
 * Access to files that tasks stage. While they are written nobody else may read them: the table may look more open than some
 * of the files that are read, which somebody has given other names for a moment. The driver opens them when it knows of
 * which files they are made.
 *
 * @param opened
 *   access as the table has it; local files have no list
 * @param driver
 *   the user of the driver
 */
private[parquet] final case class StagedAccess(opened: Access, driver: String) {

  /**
   * Access to a file that this process makes. Where it belongs to a user of whom the driver can open no file, the file is as
   * open as the table from the beginning.
   */
  private[folder] def inTask(isSuperuser: String => Boolean): Access = {
    val me = LocalAccess.Me
    // Asked for where it matters: it takes a process.
    lazy val mayGive = isSuperuser(me)
    val owner = opened.newOwner.filter(_ != me).filter(_ => mayGive).getOrElse(me)
    val isDrivers = owner == driver || (if (driver == me) mayGive else isSuperuser(driver))
    if (isDrivers) opened.copy(permission = Access.ofMe.permission) else opened
  }
}
