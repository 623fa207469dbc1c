// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import java.io.{DataInputStream, DataOutputStream}

/** Writes keys of one [[KeyOrder]] to a stream and reads them back. */
trait KeyCodec {
  def write(key: Any, out: DataOutputStream): Unit
  def read(in: DataInputStream): Any
}
