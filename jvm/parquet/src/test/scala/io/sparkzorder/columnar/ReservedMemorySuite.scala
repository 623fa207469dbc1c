// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.{SparkConf, SparkFunSuite}
import org.apache.spark.memory.{TaskMemoryManager, TestMemoryManager}

class ReservedMemorySuite extends SparkFunSuite {

  test("a row group may grow while Spark has memory for it, and ends where it has no more") {
    val pool = new TestMemoryManager(new SparkConf)
    pool.limit(10L << 20)
    val manager = new TaskMemoryManager(pool, 0)
    val memory = ReservedMemory.of(Some(manager))
    assert(memory.tryReserve(3L << 20) && memory.tryReserve(9L << 20))
    assert(!memory.tryReserve(11L << 20))
    memory.shrinkTo(2L << 20)
    assert(manager.getMemoryConsumptionForThisTask === (2L << 20))
    // What is not lent stays; what is lent goes to whoever asks for more than there is.
    val other = ReservedMemory.of(Some(manager))
    assert(!other.tryReserve(9L << 20))
    memory.lend()
    assert(other.tryReserve(9L << 20))
    other.release()
    memory.release()
    assert(manager.getMemoryConsumptionForThisTask === 0)
    assert(manager.cleanUpAllAllocatedMemory() === 0)
    assert(ReservedMemory.of(None).tryReserve(Long.MaxValue))
  }
}
