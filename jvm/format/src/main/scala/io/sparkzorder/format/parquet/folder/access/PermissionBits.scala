// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

/** The bits of a mode, as chmod(1) has them: rights of all classes of users, and all rights of a class. */
private[access] object PermissionBits {

  private def bits(octal: String): Int = Integer.parseInt(octal, 8)

  val All: Int = bits("777")
  val Read: Int = bits("444")
  val Write: Int = bits("222")
  val Execute: Int = bits("111")

  val OfGroup: Int = bits("070")
  val OfOthers: Int = bits("007")

  val Sticky: Int = bits("1000")

  /** Of a folder: what is made in it gets its group. */
  val SetGroup: Int = bits("2000")
}
