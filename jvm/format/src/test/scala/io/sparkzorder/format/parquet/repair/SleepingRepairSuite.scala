// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.repair

import java.io.File

import scala.util.Try

import io.sparkzorder.{LongTest, NightlyTest}
import io.sparkzorder.errors.ZOrderRuntimeException
import io.sparkzorder.format.parquet.log.{DamagedLog, RewriteExecutor, RewriteLog}
import io.sparkzorder.format.parquet.log.LogState.LoggedRewrite

import org.apache.hadoop.fs.Path
import org.apache.spark.network.util.JavaUtils

/** A repair that dies or sleeps before any change, and rewriters that slept since before it. */
class SleepingRepairSuite extends DamagedTables {

  private val cases: Seq[(String, Seq[String])] = Seq(
    "between the moves" -> Seq(".json"),
    "before the verdict" -> Seq(".json"),
    "after the verdict" -> Seq(".verdict"),
    "half of the old files deleted" -> Seq(".verdict"),
    "all old files deleted" -> Seq(".json", ".verdict"),
    "closed" -> Seq(".verdict")
  )

  private def interrupt(path: String, stage: String): Unit =
    until(path, stage)(optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"): Unit)

  private def log(path: String) = new RewriteLog(tableFolder(path))

  for (isGone <- Seq(false, true))
    test(
      s"a repair that slept gives no other log the id of one whose own is lost: ${if (isGone) "gone" else "cut short"}") {
      inFolder { path =>
        write(path)
        val rows = read(path)
        optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')")
        documents(path, "0.id").foreach(damage(_))
        if (isGone) (documents(path, "0.id") ++ documents(path, "0.id.crc")).foreach(_.delete())
        val sleeping = new DamagedLog(tableFolder(path), log(path))
        val (document, ids) = sleeping.damagedId().get
        JavaUtils.deleteRecursively(new File(path, "_zorder"))
        interrupt(path, "before the verdict")
        val id = log(path).id()
        assert(id.nonEmpty && id != ids.headOption)
        for (known <- Seq(ids.headOption, None)) {
          val refused = Try(sleeping.mendId(document, known)).failed.toOption
          assert(refused.forall { case e: ZOrderRuntimeException => e.getCondition == "ZORDER_REWRITE_OVERTAKEN" })
          assert(log(path).id() === id)
        }
        requireSame(path, rows, "the other log")
      }
    }

  for ((stage, kinds) <- cases)
    test(
      s"a process that knows the entry goes on after the repair: ${kinds.mkString(", ")}, $stage",
      Option.when((stage, kinds) != cases.head)(LongTest).toSeq: _*
    ) {
      inFolder { path =>
        write(path)
        val rows = read(path)
        interrupt(path, stage)
        val known = log(path).read().rewrites.last.entry
        kinds.flatMap(documents(path, _)).foreach(damage(_))
        repair(path)
        // Before it gave a verdict; then, where it can have known it, with either. Of a closed one it knows the true one.
        val all = known.folders.map(_.path).toSet
        val other = if (stage == "closed") None else Some(Set.empty[String])
        val knew = if (kinds.contains(".verdict")) Seq(None, Some(all), other) else Seq(None)
        knew.foreach { moved =>
          val executor = new RewriteExecutor(tableFolder(path), log(path))
          try executor.execute(LoggedRewrite(known, moved, isClosed = false)): Unit
          catch { case e: ZOrderRuntimeException => assert(e.getCondition == "ZORDER_REWRITE_OVERTAKEN") }
          requireSame(path, rows, s"$stage, $moved")
        }
        optimize(path, "ZORDER BY (b, a) OPTIONS (target_file_size = '8k')")
        requireSame(path, rows, stage)
      }
    }

  /** Before the n-th change in the table. */
  private def nth(n: Int): (String, Path, Path) => Boolean = {
    var left = n
    (_, from, _) => {
      // What a process does for its lock is no part of it.
      if (!from.toString.contains("/locks")) left -= 1
      left < 0
    }
  }

  // One in which no verdict was given, one in which it cannot be read.
  private val two = Seq(cases.head, cases(2))

  for ((stage, kinds) <- two)
    test(s"a repair dies before any change and is begun again: ${kinds.mkString(", ")}, $stage", LongTest) {
      val died = Iterator.from(0, 2).takeWhile { n =>
        var isDead = false
        inFolder { path =>
          write(path)
          val rows = read(path)
          interrupt(path, stage)
          kinds.flatMap(documents(path, _)).foreach(damage(_))
          isDead = withSQLConf(DyingFiles.settings: _*)(DyingFiles.dying(nth(n))(repair(path)))
          unlock(path)
          repair(path)
          requireSame(path, rows, s"$n")
          optimize(path, "ZORDER BY (b, a) OPTIONS (target_file_size = '8k')")
          requireSame(path, rows, s"$n")
        }
        isDead
      }.size
      assert(died > 3)
    }

  for ((stage, kinds) <- two)
    test(
      s"a repair sleeps while another repairs the table and rewrites follow: ${kinds.mkString(", ")}, $stage",
      NightlyTest) {
      // So many that the log has forgotten the rewrite in the end.
      for ((n, rewrites) <- Seq(3 -> 1, 6 -> 1, 9 -> 9, 15 -> 9)) inFolder { path =>
        write(path)
        val rows = read(path)
        interrupt(path, stage)
        kinds.flatMap(documents(path, _)).foreach(damage(_))
        def others(): Unit = {
          unlock(path)
          repair(path)
          requireSame(path, rows, s"$n: the other")
          for (i <- 0 until rewrites) {
            val columns = if (i % 2 == 0) "b, a" else "a, c"
            optimize(path, s"WHERE p = 0 ZORDER BY ($columns) OPTIONS (target_file_size = '8k', force = true)")
          }
          requireSame(path, rows, s"$n: rewrites")
        }
        withSQLConf(DyingFiles.settings: _*) {
          // Whatever it ends with.
          try DyingFiles.pausing(nth(n))(others())(repair(path)): Unit
          catch { case e: ZOrderRuntimeException => assert(e.getCondition != "ZORDER_INTERNAL_ERROR", e) }
        }
        unlock(path)
        requireSame(path, rows, s"$n: awake")
        optimize(path, "ZORDER BY (c, a) OPTIONS (target_file_size = '8k', force = true)")
        requireSame(path, rows, s"$n: after all")
      }
    }
}
