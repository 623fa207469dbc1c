// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.io.InputStream
import java.util.concurrent.CompletableFuture

import org.apache.hadoop.fs.{MultipartUploader, PartHandle, Path, UploadHandle}

/** Uploads of Hadoop 3.4.2 and later, which have to know the last part. */
private[folder] object UploadParts {

  /** Sends a part of a file; `number` counts from 1. */
  def put(
      uploader: MultipartUploader,
      upload: UploadHandle,
      number: Int,
      isLast: Boolean,
      path: Path,
      bytes: InputStream,
      length: Long): CompletableFuture[PartHandle] = uploader.putPart(upload, number, isLast, path, bytes, length)
}
