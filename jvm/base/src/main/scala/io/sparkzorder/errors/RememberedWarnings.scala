// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import java.util.concurrent.ConcurrentHashMap

/** Which warnings a process has given: each once. A session may meet any number of tables; to warn once more does no harm. */
final class RememberedWarnings[A] {
  import RememberedWarnings.Most

  private val given = ConcurrentHashMap.newKeySet[A]()

  /** Whether there was no such warning before; now there is. */
  def isNew(warning: A): Boolean = {
    if (given.size >= Most) given.clear()
    given.add(warning)
  }

  /** Forgets warnings, so that they are given again. */
  def forget(gone: A => Boolean): Unit = if (!given.isEmpty) given.removeIf(gone(_)): Unit
}

private object RememberedWarnings {
  private val Most = 10000
}
