// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.rewrite

import java.io.File
import java.nio.file.Files
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._

import io.sparkzorder.DailyTest
import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.parquet.folder.TableFolder
import org.scalatest.funsuite.AnyFunSuite

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** One rewrite at a time; a holder that is gone is no obstacle. */
class TableLockSuite extends AnyFunSuite {

  private val Theirs = "7e1257e1-0000-4000-8000-000000000001"

  private def withFolder[T](body: TableFolder => T): T = {
    val dir = Files.createTempDirectory("lock")
    try body(new TableFolder(new Path(dir.toUri), new Configuration(false)))
    finally org.apache.spark.network.util.JavaUtils.deleteRecursively(dir.toFile)
  }

  private def files(folder: TableFolder): Seq[File] =
    new File(folder.locks.toUri.getPath).listFiles.toSeq.filterNot(_.getName.startsWith("."))

  private def leaveLock(folder: TableFolder, holder: String, age: Long = 0): Unit =
    leave(folder, Theirs, Seq(holder), age)

  private def leaveRenewal(folder: TableFolder, age: Long): Unit = leave(folder, s".$Theirs.renewed", Nil, age)

  private def leave(folder: TableFolder, name: String, lines: Seq[String], age: Long): Unit = {
    folder.make(folder.locks)
    val file = new File(folder.locks.toUri.getPath, name)
    Files.write(file.toPath, lines.asJava)
    file.setLastModified(System.currentTimeMillis - age)
  }

  private def goneProcess: Long = {
    val process = new ProcessBuilder("true").start()
    process.waitFor()
    process.pid
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

  test("an interrupted thread releases it") {
    withFolder { folder =>
      val held = TableLock.acquire(folder, 0)
      Thread.currentThread.interrupt()
      try held.close()
      catch { case _: InterruptedException => () }
      finally Thread.interrupted(): Unit
      assert(files(folder).isEmpty)
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

  test("statements that end delete the empty folder under others that begin", DailyTest) {
    withFolder { folder =>
      implicit val pool: ExecutionContext =
        ExecutionContext.fromExecutor(java.util.concurrent.Executors.newFixedThreadPool(4))
      val all = Future.sequence((1 to 4).map(_ =>
        Future {
          for (_ <- 1 to 100) {
            TableLock.acquire(folder, 120000).close()
            folder.removeEmptyFolders()
          }
        }))
      Await.result(all, 3.minutes)
    }
  }

  test("a holder whose process is gone is followed at once") {
    // Of another process that now has its number, too.
    for (holder <- Seq(json(goneProcess, me.machine, 0), json(me.pid, me.machine, me.started - 5000)))
      withFolder { folder =>
        leaveLock(folder, holder)
        val lock = TableLock.acquire(folder, 0)
        assert(files(folder).size == 1 && !files(folder).exists(_.getName == Theirs))
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
    for (holder <- Seq(json(1, "another machine", 0), json(1, "", 0), "{", "", "{}", "null")) withFolder { folder =>
      leaveLock(folder, holder, age = 60000)
      val e = intercept[ZOrderRuntimeException](TableLock.acquire(folder, 0))
      assert(e.getCondition == "ZORDER_TABLE_LOCKED")
      leaveLock(folder, holder, age = 130000)
      TableLock.acquire(folder, 0).close()
    }
  }

  test("a renewal keeps a lock, whatever its own age, and ends with it") {
    val elsewhere = json(1, "another machine", 0)
    withFolder { folder =>
      leaveLock(folder, elsewhere, age = 500000)
      leaveRenewal(folder, age = 60000)
      assert(intercept[ZOrderRuntimeException](TableLock.acquire(folder, 0)).getCondition == "ZORDER_TABLE_LOCKED")
      leaveRenewal(folder, age = 130000)
      TableLock.acquire(folder, 0).close()
      assert(folder.list(folder.locks).isEmpty)
    }
  }

  test("a process that died while it renewed its lock is followed at once") {
    withFolder { folder =>
      leaveLock(folder, json(goneProcess, me.machine, 0), age = 30000)
      leaveRenewal(folder, age = 0)
      TableLock.acquire(folder, 0).close()
      assert(folder.list(folder.locks).isEmpty)
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
