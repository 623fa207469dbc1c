package io.sparkzorder.format.parquet.log


import io.sparkzorder.format.parquet.log.Exploration.{Cast, Count}
import org.scalatest.funsuite.AnyFunSuite

/**
 * The log's code under schedules in which any process may be stopped before any call of the file system, killed, or go on
 * when all others are done. A failing schedule prints its calls and what `Exploration.replay` takes.
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

  for (kind <- SimulatedDisk.kinds)
    test(s"$kind: chance, with all kinds of processes") {
      val schedules = if (io.sparkzorder.TestRing.isLong) 34000 else 1700
      val casts = Seq(
        Seq(rewriter("a"), rewriter("b"), recovery, appender, reader, caching),
        Seq(rewriter("a"), recovery, overwriter, reader, appender),
        Seq(rewriter("a"), rewriter("b"), recovery, overwriter, recovery),
        Seq(rewriter("a"), rewriter("b"), rewriter("c"), recovery, ofAll, appender))
      explore((0 until schedules).iterator.map { seed => () =>
        Exploration.run(kind, casts(seed % casts.size), Exploration.random(seed))
      })
    }
}
