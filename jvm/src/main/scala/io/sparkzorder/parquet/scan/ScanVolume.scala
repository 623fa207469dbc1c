package io.sparkzorder.parquet.scan

/**
 * How much of a file, or of several, a scan reads, beside how much there is.
 *
 * Pages and bytes are those of the columns that the scan asks for: data pages, and compressed bytes with page headers and
 * dictionary pages. A page that any row of may match is read whole.
 *
 * @param rows
 *   all rows, those of what is not read too
 */
final case class ScanVolume(
    rowGroupsTotal: Long,
    rowGroupsRead: Long,
    pagesTotal: Long,
    pagesRead: Long,
    bytesTotal: Long,
    bytesRead: Long,
    rows: Long) {

  def +(other: ScanVolume): ScanVolume = ScanVolume(
    rowGroupsTotal + other.rowGroupsTotal,
    rowGroupsRead + other.rowGroupsRead,
    pagesTotal + other.pagesTotal,
    pagesRead + other.pagesRead,
    bytesTotal + other.bytesTotal,
    bytesRead + other.bytesRead,
    rows + other.rows
  )
}

object ScanVolume {

  val none: ScanVolume = ScanVolume(0, 0, 0, 0, 0, 0, 0)
}
