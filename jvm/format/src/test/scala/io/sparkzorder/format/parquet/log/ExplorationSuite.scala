// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.lang.management.ManagementFactory

import io.sparkzorder.TestRing
import io.sparkzorder.format.parquet.log.Exploration.{Cast, Count, States}

import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.config.Configurator
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

/**
 * The log's code under schedules in which any process may be stopped before any call of the file system, killed, or go on
 * when all others are done. A failing schedule prints its calls and what `Exploration.replay` takes.
 */
class ExplorationSuite extends AnyFunSuite with BeforeAndAfterAll {

  // What the log's code warns of happens all the time here.
  private val logger = "io.sparkzorder.format.parquet"

  private var (startedAt, cpuBefore) = (0L, 0.0)

  /** Of this process, its compilers and collectors included. */
  private def cpuSeconds: Double = ManagementFactory.getOperatingSystemMXBean match {
    case system: com.sun.management.OperatingSystemMXBean => system.getProcessCpuTime / 1e9
    case _ => 0
  }

  override protected def beforeAll(): Unit = {
    Configurator.setLevel(logger, Level.ERROR)
    startedAt = System.nanoTime
    cpuBefore = cpuSeconds
  }

  override protected def afterAll(): Unit = Configurator.setLevel(logger, null: Level)

  private def rewriter(id: String) = s"rewriter $id" -> ((t: SimulatedTable) => t.rewriter(id))
  private def keeper(id: String) =
    s"rewriter $id that keeps" -> ((t: SimulatedTable) => t.rewriter(id, keptUntil = SimulatedTable.ForGood))
  // What it keeps is due at once.
  private def briefKeeper(id: String) =
    s"rewriter $id that keeps for a moment" -> ((t: SimulatedTable) => t.rewriter(id, keptUntil = 1L))
  private val undoer = "one who takes back" -> ((t: SimulatedTable) =>
    t.undoer("0d5e0d5e-0000-4000-8000-00000000000f"))
  private val vacuum = "one who deletes what is kept" -> ((t: SimulatedTable) => t.vacuum())
  private val recovery = "recovery" -> ((t: SimulatedTable) => t.recovering())
  private val appender = "appender" -> ((t: SimulatedTable) => t.appender("p=0", "50"))
  private val reader = "reader" -> ((t: SimulatedTable) => t.reader())
  private val caching = "caching reader" -> ((t: SimulatedTable) => t.cachingReader())
  private val overwriter = "overwriter" -> ((t: SimulatedTable) => t.overwriter(Some("p=0"), "90"))
  private val replacer =
    "one who writes a file anew" -> ((t: SimulatedTable) => t.replacer("p=0/old-0", Seq("8", "9")))
  private val restorer = "one who restores files" -> ((t: SimulatedTable) => t.restorer("p=0"))
  private val ofAll = "overwriter of the table" -> ((t: SimulatedTable) => t.overwriter(None, "91"))

  private def callsOf(kind: SimulatedDisk.Kind, cast: Cast): Int =
    Exploration.run(kind, cast, Exploration.stretches(Nil, cast.indices), new States).calls.toInt

  private val asked = sys.env.get("ZORDER_SCHEDULES").map(_.toInt)

  private val states = new States
  private var (ofAllTests, byChance) = (Count.none, Count.none)

  private def explore(schedules: Iterator[() => Count]): Count = {
    val total = schedules.foldLeft(Count.none)(_ + _())
    info(text(total))
    ofAllTests += total
    total
  }

  /** By fixed seeds, for each of the file systems; as many as `make explore` asks for. */
  private def draw(short: Int, long: Int)(schedule: Int => Count): Unit = {
    val seeds = 0 until asked.getOrElse(TestRing.cases(short, long))
    byChance += explore(seeds.iterator.map(seed => () => schedule(seed)))
  }

  private def text(count: Count) =
    f"${count.schedules}%,d schedules, ${count.states}%,d states (${count.distinct}%,d new ones), ${count.calls}%,d calls"

  /** The first process stops before each of its calls, and goes on or is killed when the second is done. */
  private def stopsAnywhere(kind: SimulatedDisk.Kind, cast: Cast): Unit = {
    val calls = callsOf(kind, Seq(cast.head))
    explore(for {
      at <- (0 to calls).iterator
      killed <- Seq(Set.empty[Int], Set(0))
    } yield () => Exploration.run(kind, cast, Exploration.stretches(Seq(0 -> at), Seq(1, 0), killed), states)): Unit
  }

  // Another has its turn the day after.
  private val kinds =
    if (!TestRing.isLong || TestRing.isNightly || asked.nonEmpty) SimulatedDisk.kinds
    else Seq(SimulatedDisk.kinds((TestRing.day.toEpochDay % SimulatedDisk.kinds.size).toInt))

  // Elsewhere what others do is explored by chance in the short ring.
  private val stopped = if (TestRing.isLong) kinds else SimulatedDisk.kinds.take(1)

  for (kind <- stopped;
    second <- Seq(recovery, rewriter("b"), overwriter, replacer, restorer, appender, reader, caching))
    test(s"$kind: a rewriter that stops before any call while ${second._1} does all of its work") {
      stopsAnywhere(kind, Seq(rewriter("a"), second))
    }

  for (kind <- stopped;
    second <- Seq(recovery, rewriter("b"), keeper("b"), replacer, restorer, appender, reader, caching, undoer, vacuum))
    test(s"$kind: a rewriter that keeps and stops before any call while ${second._1} does all of its work") {
      stopsAnywhere(kind, Seq(keeper("a"), second))
    }

  // With a recovery all of the two places at which two processes stop, at night and where more is asked for.
  for (kind <- kinds; second <- Seq(recovery, rewriter("b")))
    test(s"$kind: a rewriter and ${second._1} that stop before any two calls, each until the other is done") {
      val cast = Seq(rewriter("a"), second)
      val (first, other) = (callsOf(kind, Seq(cast.head)), callsOf(kind, cast) - callsOf(kind, Seq(cast.head)))
      val least = if (second == recovery) 1 else 4
      val stride = if (TestRing.isNightly || asked.nonEmpty) least else if (TestRing.isLong) 2 * least else 20
      explore(for {
        i <- (0 to first by stride).iterator
        j <- (0 to other by stride).iterator
      } yield () => Exploration.run(kind, cast, Exploration.stretches(Seq(0 -> i, 1 -> j), Seq(0, 1)), states))
    }

  for (kind <- kinds)
    test(s"$kind: chance, with all kinds of processes") {
      val casts = Seq(
        Seq(rewriter("a"), rewriter("b"), recovery, appender, reader, caching),
        Seq(rewriter("a"), recovery, overwriter, reader, appender),
        Seq(rewriter("a"), rewriter("b"), recovery, overwriter, recovery),
        Seq(rewriter("a"), rewriter("b"), rewriter("c"), recovery, ofAll, appender),
        Seq(rewriter("a"), recovery, restorer, rewriter("b"), reader, caching)
      )
      draw(short = 60, long = 1000) { seed =>
        Exploration.run(kind, casts(seed % casts.size), Exploration.random(seed), states)
      }
    }

  for (kind <- kinds)
    test(s"$kind: chance, with replaced files that are kept, come back and are deleted") {
      val casts = Seq(
        Seq(keeper("a"), undoer, recovery, rewriter("b"), appender, reader, caching),
        Seq(keeper("a"), keeper("b"), undoer, vacuum, reader),
        Seq(briefKeeper("a"), keeper("b"), undoer, recovery, appender),
        Seq(keeper("a"), undoer, overwriter, recovery, reader),
        Seq(keeper("a"), undoer, restorer, recovery, reader, caching),
        Seq(keeper("a"), keeper("b"), undoer, ofAll, vacuum, appender)
      )
      draw(short = 40, long = 500) { seed =>
        Exploration.run(kind, casts(seed % casts.size), Exploration.random(seed), states)
      }
    }

  private def of(path: String)(id: String) =
    s"rewriter $id of $path" -> ((t: SimulatedTable) => t.rewriter(id, Some(path)))

  for (kind <- kinds)
    test(s"$kind: chance, with processes that sleep while numbers are forgotten") {
      val casts = Seq(
        Seq(rewriter("a"), rewriter("b"), rewriter("c"), rewriter("d"), rewriter("e"), recovery, appender),
        Seq(of("p=0")("a"), of("p=1")("b"), of("p=1")("c"), of("p=1")("d"), of("p=1")("e"), recovery, recovery, reader)
      )
      draw(short = 20, long = 450) { seed =>
        Exploration.run(kind, casts(seed % casts.size), Exploration.random(seed), states, remembered = 2)
      }
    }

  for (kind <- kinds)
    test(s"$kind: chance, with calls that fail and answers that are lost") {
      draw(short = 20, long = 450) { seed =>
        val faults = s"faults of seed $seed" -> ((t: SimulatedTable) => t.faults(seed))
        val others = Seq(of("p=1")("b"), of("p=1")("c"), of("p=1")("d"))
        val cast =
          Seq(faults, rewriter("a")) ++ (if (seed % 2 == 0) others else Seq(rewriter("b"))) ++ Seq(recovery, reader)
        Exploration.run(kind, cast, Exploration.random(seed), states, remembered = 2)
      }
    }

  test("a schedule that fails is made again by what it prints") {
    val failing = "one that fails" -> ((t: SimulatedTable) => { t.reader(); sys.error("as it has to") })
    val cast = Seq(rewriter("a"), rewriter("b"), recovery, failing)
    // Drafts and the log have names by chance.
    def failure(kind: SimulatedDisk.Kind, policy: Scheduler.Policy) =
      try { Exploration.run(kind, cast, policy, new States); None }
      catch {
        case e: AssertionError => Some(e.getMessage.replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "id"))
      }
    val failures =
      for (kind <- SimulatedDisk.kinds; seed <- 0 until 20; printed <- failure(kind, Exploration.random(seed)))
        yield {
          val choices = printed.substring(printed.lastIndexOf("replay: ") + "replay: ".length)
          assert(failure(kind, Exploration.replay(choices)).contains(printed))
          printed
        }
    // In the others it is killed before.
    assert(failures.size > 40)
  }

  test("these were at least 2,375 schedules by chance in the long ring, 560 in the short one") {
    info(s"by chance: ${text(byChance)}")
    info(s"in all: ${text(ofAllTests)}")
    info(f"${cpuSeconds - cpuBefore}%.0f seconds of CPU, ${(System.nanoTime - startedAt) / 1e9}%.0f of time")
    assert(asked.nonEmpty || byChance.schedules >= TestRing.cases(short = 560, long = 2375))
  }
}
