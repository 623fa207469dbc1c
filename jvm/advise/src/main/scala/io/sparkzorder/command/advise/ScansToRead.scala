// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.advise.workload.WeightedFilters
import io.sparkzorder.skipping.predicate.FilePredicate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  BoundReference,
  Expression,
  InterpretedPredicate,
  PredicateHelper
}
import org.apache.spark.sql.types.StructType

/**
 * Scans of a table, prepared to be asked what they read of one layout after the other.
 *
 * @param scans
 *   at least one; their weights need no certain sum
 * @param partitionColumns
 *   names of the table's partition columns
 */
private[advise] final class ScansToRead private (
    scans: IndexedSeq[ScansToRead.Scan],
    partitionColumns: Set[String]) {

  def size: Int = scans.size

  private lazy val byWeight = scans.sortBy(-_.weight)

  /**
   * About so many of the scans, the same ones each time: the most frequent ones, and of the others an even choice by
   * chance, which stands for all of them.
   */
  def some(count: Int): ScansToRead =
    if (count >= size) this
    else {
      val (frequent, others) = byWeight.splitAt(count / 2)
      val drawn = new scala.util.Random(5489).shuffle(others).take(math.max(1, count - frequent.size))
      val scale = others.map(_.weight).sum / drawn.map(_.weight).sum
      new ScansToRead(frequent ++ drawn.map(s => s.copy(weight = s.weight * scale)), partitionColumns)
    }

  def share(files: SimulatedFiles): WorkloadRead = {
    val all = math.max(files.bytes.sum, Double.MinPositiveValue)
    val (bytes, opened, weight) = scans.foldLeft((0.0, 0.0, 0.0)) { case ((bytes, opened, weight), scan) =>
      val predicate = FilePredicate(scan.filters, files, partitionColumns)
      var (read, count) = (0.0, 0)
      for (file <- 0 until files.size)
        if (scan.reads(files.partitions(file)) && predicate.forall(_.mayMatch(file))) {
          read += files.bytes(file)
          count += 1
        }
      (bytes + scan.weight * read, opened + scan.weight * count, weight + scan.weight)
    }
    WorkloadRead(bytes / all / weight, opened / weight)
  }
}

private[advise] object ScansToRead extends PredicateHelper {

  /**
   * @param reads
   *   per partition, whether the filters on partition columns alone select it
   * @param filters
   *   the others
   */
  private final case class Scan(reads: Array[Boolean], filters: Seq[Expression], weight: Double)

  def of(
      scans: Seq[WeightedFilters],
      partitionSchema: StructType,
      partitions: IndexedSeq[InternalRow]): ScansToRead = {
    def ordinal(a: AttributeReference) = partitionSchema.fieldNames.indexWhere(_.equalsIgnoreCase(a.name))
    def isOnPartitions(e: Expression) = e.references.nonEmpty && e.references.forall {
      case a: AttributeReference => ordinal(a) >= 0
      case _ => false
    }
    val prepared = scans.map { scan =>
      val (onPartitions, others) = scan.filters.flatMap(splitConjunctivePredicates).partition(isOnPartitions)
      val bound = onPartitions.map(_.transform { case a: AttributeReference =>
        BoundReference(ordinal(a), partitionSchema(ordinal(a)).dataType, nullable = true)
      })
      val test = bound.reduceOption(And(_, _)).map(InterpretedPredicate(_))
      Scan(partitions.map(p => test.forall(_.eval(p))).toArray, others, scan.weight)
    }
    new ScansToRead(prepared.toIndexedSeq, partitionSchema.fieldNames.toSet)
  }
}

/**
 * How much of a table a workload reads, by the pruner that queries use.
 *
 * @param bytes
 *   share of the table's bytes, 0 to 1, that a scan reads on average
 * @param files
 *   number of files that a scan opens on average
 */
private[advise] final case class WorkloadRead(bytes: Double, files: Double)
