package io.sparkzorder.format.parquet

import io.sparkzorder.format.Clustering
import io.sparkzorder.skipping.ListedFile

/** A file that a rewrite has brought into the table, with what its footer says. */
private[parquet] final case class WrittenFile(
    id: ListedFile,
    statistics: FileStatistics,
    clustering: Option[Clustering])
