package io.sparkzorder.command.optimize.report

import io.sparkzorder.command.optimize.select.PartitionWork
import io.sparkzorder.sampling.JointSample

/**
 * One commit of a statement, or what a dry run foresees of it.
 *
 * @param work
 *   of the partitions that it changed
 * @param after
 *   the files that it left there in place of those rewritten
 */
private[command] final case class RunResult(work: IndexedSeq[PartitionWork], sample: JointSample, after: LayoutAfter)
