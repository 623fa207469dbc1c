// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout

import scala.util.Random

import io.sparkzorder.Serialized

import org.scalatest.funsuite.AnyFunSuite

class FileAssignmentSuite extends AnyFunSuite {

  private val target = 1000L

  private def plan(sections: SectionLayout*): LayoutPlan =
    LayoutPlan(
      Seq("a"),
      "zorder",
      31,
      100,
      target,
      sections.toIndexedSeq.zipWithIndex.map { case (s, number) => s.copy(partition = number) })

  private def section(bytes: Long, ranges: CurveRange*): SectionLayout =
    SectionLayout(0, "p", bytes, bytes, (if (ranges.isEmpty) Seq(CurveRange(0, 1)) else ranges).toIndexedSeq)

  private def randomPlan(seed: Long): LayoutPlan = {
    val random = new Random(seed)
    plan((0 until 40).map { _ =>
      val starts = 0L +: Seq.fill(random.nextInt(6))(1L + random.nextInt(1000)).distinct.sorted
      section(1 + random.nextInt(3000), starts.map(CurveRange(_, 1 + random.nextInt(3) / 2 * random.nextInt(4))): _*)
    }: _*)
  }

  private implicit class Files(assignment: FileAssignment) {

    /** The tasks that hold a section: one per file. */
    def tasksOf(layout: LayoutPlan, number: Int): Seq[Int] = {
      val ranges = layout.sections(number).ranges
      ranges.indices.flatMap(s => (0 until ranges(s).files).map(assignment.task(number, s, _)))
    }
  }

  test("an index belongs to the last range that starts at or below it") {
    for (seed <- 1 to 20) {
      val layout = randomPlan(seed)
      val assignment = FileAssignment.of(layout, parallelism = 2)
      val random = new Random(seed)
      for ((p, number) <- layout.sections.zipWithIndex) {
        val starts = p.ranges.map(_.start)
        val asked = starts ++ starts.map(_ + 1) ++ starts.tail.map(_ - 1) ++ Seq(Long.MaxValue) ++
          Seq.fill(50)(random.nextLong() & Long.MaxValue)
        asked.foreach(i => assert(assignment.range(number, i) === starts.lastIndexWhere(_ <= i)))
        p.ranges.indices.foreach(s => assert(assignment.isSpread(number, s) === (p.ranges(s).files > 1)))
      }
    }
  }

  test("every file has a task, no task two files of a section, and no task stays idle") {
    for (seed <- 1 to 20; parallelism <- Seq(1, 2, 64)) {
      val layout = randomPlan(seed)
      val assignment = FileAssignment.of(layout, parallelism)
      val tasks = layout.sections.indices.map(assignment.tasksOf(layout, _))
      tasks.zip(layout.sections).foreach { case (t, p) =>
        assert(t.distinct.size === p.files)
      }
      assert(tasks.flatten.toSet === (0 until assignment.tasks).toSet)
      // A task of a section of several files holds nothing else.
      tasks.zipWithIndex.filter(_._1.size > 1).foreach { case (own, number) =>
        tasks.indices.filter(_ != number).foreach(other => assert(tasks(other).intersect(own).isEmpty))
      }
    }
  }

  test("tasks follow the curve, and the hash of a row finds a task of its range, below zero as well") {
    val layout = plan(section(5000, CurveRange(0, 1), CurveRange(10, 3), CurveRange(20, 1)))
    val assignment = FileAssignment.of(layout, parallelism = 2)
    assert(assignment.tasks === 5)
    assert(assignment.task(0, 0, -7) === 0)
    assert(Seq(0, 1, 2, 3, -1, Int.MinValue, Int.MaxValue).map(assignment.task(0, 1, _)) === Seq(1, 2, 3, 1, 3, 2, 2))
    assert(assignment.task(0, 2, 12345) === 4)
  }

  test("a thousand small sections share a few tasks, evenly") {
    val layout = plan(Seq.fill(1000)(section(bytes = 8)): _*)
    val assignment = FileAssignment.of(layout, parallelism = 2)
    // 8,000 bytes over 2 cores of 4 tasks each.
    assert(assignment.tasks === 8)
    val sizes = (0 until 1000).map(assignment.task(_, 0, 0)).groupBy(identity).values.map(_.size)
    assert(sizes.toSet === Set(125))
  }

  test("a task of small sections does not outgrow a file") {
    val layout = plan(Seq.fill(100)(section(bytes = 300)): _*)
    val assignment = FileAssignment.of(layout, parallelism = 1)
    assert(assignment.tasks === 34) // three of 300 bytes are within 1,000, four are not
  }

  test("sections as large as a file stay alone, wherever they come") {
    val layout =
      plan(section(10), section(1000), section(10), section(2000, CurveRange(0, 1), CurveRange(5, 1)))
    val assignment = FileAssignment.of(layout, parallelism = 1)
    val tasks = layout.sections.indices.map(assignment.tasksOf(layout, _))
    assert(tasks(1).intersect(tasks(0) ++ tasks(2) ++ tasks(3)).isEmpty)
    assert(tasks(3).intersect(tasks(0) ++ tasks(1) ++ tasks(2)).isEmpty)
  }

  test("a plan of nothing has a task all the same: Spark shuffles to at least one") {
    assert(FileAssignment.of(plan(), parallelism = 2).tasks === 1)
  }

  test("the same plan gives the same tasks, also after a journey") {
    val layout = randomPlan(9)
    val first = FileAssignment.of(layout, parallelism = 2)
    val others = Seq(FileAssignment.of(layout, parallelism = 2), Serialized.copyOf(first))
    val random = new Random(1)
    for (_ <- 1 to 1000) {
      val (p, index, hash) = (random.nextInt(40), random.nextLong() & Long.MaxValue, random.nextInt())
      val tasks = (first +: others).map(a => a.task(p, a.range(p, index), hash))
      assert(tasks.distinct.size === 1)
    }
  }

  test("sections of one partition share no task, however small") {
    val sections = IndexedSeq(0, 0, 0, 1, 1, 2).map(number => section(10).copy(partition = number))
    val assignment = FileAssignment.of(plan(sections: _*).copy(sections = sections), parallelism = 1)
    val tasks = sections.indices.map(assignment.tasksOf)
    assert(tasks.forall(_.size == 1))
    for (i <- sections.indices; j <- 0 until i if sections(i).partition == sections(j).partition)
      assert(tasks(i) !== tasks(j))
    assert(tasks.flatten.toSet === (0 until assignment.tasks).toSet)
  }
}
