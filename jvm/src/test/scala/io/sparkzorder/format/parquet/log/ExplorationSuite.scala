// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import io.sparkzorder.TestRing
import io.sparkzorder.format.parquet.log.Exploration.{Cast, Count}

import org.scalatest.funsuite.AnyFunSuite

/**
 * The log's code under schedules in which any process may be stopped before any call of the file system, killed, or go
 * on when all other processes are done. A failing schedule prints its calls and what `Exploration.replay` takes.
 */
class ExplorationSuite extends AnyFunSuite {

  private def rewriter(id: String) = s"rewriter $id" -> ((t: SimulatedTable) => t.rewriter(id))
  private val recovery = "recovery" -> ((t: SimulatedTable) => t.recovering())
  private val appender = "appender" -> ((t: SimulatedTable) => t.appender("p=0", "50"))
  private val reader = "reader" -> ((t: SimulatedTable) => t.reader())
  private val caching = "caching reader" -> ((t: SimulatedTable) => t.cachingReader())
  private val overwriter = "overwriter" -> ((t: SimulatedTable) => t.overwriter(Some("p=0"), "90"))
  private val ofAll = "overwriter of the table" -> ((t: SimulatedTable) => t.overwriter(None, "91"))

  private def callsOf(kind: SimulatedDisk.Kind, cast: Cast): Int =
    Exploration.run(kind, cast, Exploration.stretches(Nil, cast.indices)).calls.toInt

  /** By chance, for each of the file systems; as many as `make explore` asks for. */
  private def schedules(short: Int, long: Int): Int =
    sys.env.get("ZORDER_SCHEDULES").fold(TestRing.cases(short, long))(_.toInt)

  private def explore(schedules: Iterator[() => Count]): Count = {
    val total = schedules.foldLeft(Count.none)(_ + _())
    info(f"${total.schedules}%,d schedules, ${total.states}%,d states, ${total.calls}%,d calls")
    total
  }

  for (kind <- SimulatedDisk.kinds; second <- Seq(recovery, rewriter("b"), overwriter, appender, reader, caching))
    test(s"$kind: a rewriter that stops before any call while ${second._1} does all of its work") {
      val cast = Seq(rewriter("a"), second)
      val calls = callsOf(kind, Seq(cast.head))
      explore(for {
        at <- (0 to calls).iterator
        killed <- Seq(Set.empty[Int], Set(0))
      } yield () => Exploration.run(kind, cast, Exploration.stretches(Seq(0 -> at), Seq(1, 0), killed)))
    }

  // With a recovery all of the two places at which two processes stop, in the long run.
  for (kind <- SimulatedDisk.kinds; second <- Seq(recovery, rewriter("b")))
    test(s"$kind: a rewriter and ${second._1} that stop before any two calls, each until the other is done") {
      val cast = Seq(rewriter("a"), second)
      val (first, other) = (callsOf(kind, Seq(cast.head)), callsOf(kind, cast) - callsOf(kind, Seq(cast.head)))
      val stride = TestRing.cases(short = 9, long = if (second == recovery) 1 else 4)
      explore(for {
        i <- (0 to first by stride).iterator
        j <- (0 to other by stride).iterator
      } yield () => Exploration.run(kind, cast, Exploration.stretches(Seq(0 -> i, 1 -> j), Seq(0, 1))))
    }

  for (kind <- SimulatedDisk.kinds)
    test(s"$kind: chance, with all kinds of processes") {
      val casts = Seq(
        Seq(rewriter("a"), rewriter("b"), recovery, appender, reader, caching),
        Seq(rewriter("a"), recovery, overwriter, reader, appender),
        Seq(rewriter("a"), rewriter("b"), recovery, overwriter, recovery),
        Seq(rewriter("a"), rewriter("b"), rewriter("c"), recovery, ofAll, appender)
      )
      explore((0 until schedules(short = 1200, long = 6000)).iterator.map { seed => () =>
        Exploration.run(kind, casts(seed % casts.size), Exploration.random(seed))
      })
    }

  private def of(path: String)(id: String) =
    s"rewriter $id of $path" -> ((t: SimulatedTable) => t.rewriter(id, Some(path)))

  for (kind <- SimulatedDisk.kinds)
    test(s"$kind: chance, with processes that sleep while numbers are forgotten") {
      val casts = Seq(
        Seq(rewriter("a"), rewriter("b"), rewriter("c"), rewriter("d"), rewriter("e"), recovery, appender),
        Seq(of("p=0")("a"), of("p=1")("b"), of("p=1")("c"), of("p=1")("d"), of("p=1")("e"), recovery, recovery, reader)
      )
      explore((0 until schedules(short = 300, long = 1500)).iterator.map { seed => () =>
        Exploration.run(kind, casts(seed % casts.size), Exploration.random(seed), remembered = 2)
      })
    }

  for (kind <- SimulatedDisk.kinds)
    test(s"$kind: chance, with calls that fail and answers that are lost") {
      explore((0 until schedules(short = 300, long = 1500)).iterator.map { seed => () =>
        val faults = "faults" -> ((t: SimulatedTable) => t.faults(seed))
        val others = Seq(of("p=1")("b"), of("p=1")("c"), of("p=1")("d"))
        val cast =
          Seq(faults, rewriter("a")) ++ (if (seed % 2 == 0) others else Seq(rewriter("b"))) ++ Seq(recovery, reader)
        Exploration.run(kind, cast, Exploration.random(seed), remembered = 2)
      })
    }
}
