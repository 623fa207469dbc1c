package io.sparkzorder.format.parquet.rewrite

import io.sparkzorder.format.{Clustering, ListedFile}
import io.sparkzorder.parquet.footer.FileStatistics

/** A file that a rewrite has brought into the table, with what its footer says. */
private[parquet] final case class WrittenFile(
    id: ListedFile,
    statistics: FileStatistics,
    clustering: Option[Clustering])
