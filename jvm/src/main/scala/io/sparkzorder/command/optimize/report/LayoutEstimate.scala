package io.sparkzorder.command.optimize.report

import io.sparkzorder.command.optimize.rewrite.LayoutPlanner
import io.sparkzorder.layout.FileAssignment
import io.sparkzorder.layout.measure.{ColumnRange, FileRanges}

/** What a plan would leave behind, by the rows of its sample. */
private[command] object LayoutEstimate {

  def of(planned: LayoutPlanner): LayoutAfter = {
    val sample = planned.sample
    // One task a file, so that a task's number stands for its file.
    val assignment = FileAssignment.unpacked(planned.plan)
    // Which of several files with the same range a row goes to makes no difference to their ranges.
    val fileOf = Array.tabulate(sample.rows) { row =>
      val partition = sample.partitions(row)
      assignment.task(partition, assignment.stretch(partition, planned.places(row)), row)
    }
    val rowsOf = sample.partitions.indices.groupBy(fileOf(_))
    val ranges = sample.keys.indices.map { axis =>
      val order = planned.ranks.keyType(axis).ordering
      val perFile = (0 until assignment.tasks).map { file =>
        val values = rowsOf.getOrElse(file, Nil).map(sample.keys(axis)(_)).filter(_ != null)
        if (values.isEmpty) ColumnRange.NoValue else ColumnRange.Within(values.min(order), values.max(order))
      }
      new FileRanges(perFile, order)
    }
    LayoutAfter(planned.plan.partitions.flatMap(p => IndexedSeq.fill(p.files)(p.bytes / p.files)), ranges)
  }
}
