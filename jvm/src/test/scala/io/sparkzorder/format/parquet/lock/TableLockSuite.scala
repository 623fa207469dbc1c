// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.lock

import java.io.File
import java.nio.file.Files
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._

import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.parquet.folder.TableFolder

import org.scalatest.funsuite.AnyFunSuite

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** One rewrite at a time; a holder that is gone is no obstacle. */
class TableLockSuite extends AnyFunSuite {

  private def withFolder[T](body: TableFolder => T): T = {
    val dir = Files.createTempDirectory("lock")
    try body(new TableFolder(new Path(dir.toUri), new Configuration(false)))
    finally org.apache.spark.network.util.JavaUtils.deleteRecursively(dir.toFile)
  }

  private def files(folder: TableFolder): Seq[File] =
    new File(folder.locks.toUri.getPath).listFiles.toSeq.filterNot(_.getName.startsWith("."))

  private def leaveLock(folder: TableFolder, holder: String, age: Long = 0): File = {
    folder.make(folder.locks)
    val file = new File(folder.locks.toUri.getPath, "theirs")
    Files.write(file.toPath, Seq(holder).asJava)
    file.setLastModified(System.currentTimeMillis - age)
    file
  }

  private def json(pid: Long, machine: String, started: Long): String =
    s"""{"machine":"$machine","pid":$pid,"started":$started,"host":"h","since":0}"""

  private val me = LockHolder.me

  test("a second one waits, then fails with who holds it") {
    withFolder { folder =>
      val held = TableLock.acquire(folder, 0)
      val e = intercept[ZOrderRuntimeException](TableLock.acquire(folder, 300))
      assert(e.getCondition == "ZORDER_TABLE_LOCKED" && e.getSqlState == "55006")
      assert(e.getMessageParameters.get("holder").contains(s"process ${me.pid} on ${me.host}"))
      held.requireHeld()
      held.close()
      assert(files(folder).isEmpty)
      TableLock.acquire(folder, 0).close()
    }
  }

  test("of many at once each gets it, and never two together") {
    withFolder { folder =>
      val (inside, most, turns) = (new AtomicInteger, new AtomicInteger, new AtomicInteger)
      implicit val pool: ExecutionContext =
        ExecutionContext.fromExecutor(java.util.concurrent.Executors.newFixedThreadPool(8))
      val all = Future.sequence((1 to 8).map(_ =>
        Future {
          for (_ <- 1 to 3) {
            val lock = TableLock.acquire(folder, 120000)
            most.accumulateAndGet(inside.incrementAndGet(), math.max(_, _))
            Thread.sleep(2)
            inside.decrementAndGet()
            turns.incrementAndGet()
            lock.close()
          }
        }))
      Await.result(all, 3.minutes)
      assert(most.get == 1 && turns.get == 24)
    }
  }

  test("a holder whose process is gone is followed at once") {
    val gone = {
      val process = new ProcessBuilder("true").start()
      process.waitFor()
      process.pid
    }
    // Of another process that now has its number, too.
    for (holder <- Seq(json(gone, me.machine, 0), json(me.pid, me.machine, me.started - 5000))) withFolder { folder =>
      leaveLock(folder, holder)
      val lock = TableLock.acquire(folder, 0)
      assert(files(folder).size == 1 && !files(folder).exists(_.getName == "theirs"))
      lock.close()
    }
  }

  test("a process is known by the kernel's count of its start, which no clock moves") {
    def holder(ticks: Long) =
      s"""{"machine":"${me.machine}","pid":${me.pid},"started":${me.started - 5000},"host":"h","since":0,"ticks":$ticks}"""
    assert(me.ticks > 0)
    withFolder { folder =>
      leaveLock(folder, holder(me.ticks))
      assert(intercept[ZOrderRuntimeException](TableLock.acquire(folder, 0)).getCondition == "ZORDER_TABLE_LOCKED")
    }
    withFolder { folder =>
      leaveLock(folder, holder(me.ticks - 1))
      TableLock.acquire(folder, 0).close()
    }
  }

  test("a process elsewhere counts as alive while it renews its lock, and what cannot be read does, too") {
    for (holder <- Seq(json(1, "another machine", 0), json(1, "", 0), "{", "")) withFolder { folder =>
      leaveLock(folder, holder, age = 60000)
      val e = intercept[ZOrderRuntimeException](TableLock.acquire(folder, 0))
      assert(e.getCondition == "ZORDER_TABLE_LOCKED")
      leaveLock(folder, holder, age = 130000)
      TableLock.acquire(folder, 0).close()
    }
  }

  test("who was taken for dead may not go on") {
    withFolder { folder =>
      val lock = TableLock.acquire(folder, 0)
      files(folder).foreach(_.delete())
      assert(intercept[ZOrderRuntimeException](lock.requireHeld()).getCondition == "ZORDER_LOCK_LOST")
      lock.close()
    }
  }
}
