package io.sparkzorder.layout

/**
 * What a rewrite will do, as data: nothing has been moved yet, and printing it shows all of it.
 *
 * @param columns
 *   the z-order columns as users write them
 * @param curve
 *   its name
 * @param bits
 *   of the curve's index for each column
 * @param sampledRows
 *   rows from which ranks and cuts were derived
 * @param partitions
 *   in the order of their numbers
 */
final case class LayoutPlan(
    columns: Seq[String],
    curve: String,
    bits: Int,
    sampledRows: Long,
    targetFileBytes: Long,
    partitions: IndexedSeq[PartitionLayout]) {

  def files: Int = partitions.map(_.files).sum

  def rows: Long = partitions.map(_.rows).sum

  def bytes: Long = partitions.map(_.bytes).sum

  override def toString: String = {
    val head = s"$curve (${columns.mkString(", ")}), $bits bits a column, $sampledRows rows sampled, " +
      s"$rows rows and $bytes bytes to $files files of about $targetFileBytes bytes"
    val lines = partitions.map { p =>
      val name = if (p.name.isEmpty) "the table" else p.name
      s"  $name: ${p.rows} rows, ${p.bytes} bytes -> ${p.files} files"
    }
    (head +: lines).mkString("\n")
  }
}
