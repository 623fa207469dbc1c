// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.io.InputStream
import java.util.concurrent.CompletableFuture

import org.apache.hadoop.fs.{MultipartUploader, PartHandle, Path, UploadHandle}

/** An uploader of parts; Hadoop 3.4.2 and later tell which of them is the last. */
private[log] abstract class PartsOfUploads extends MultipartUploader {

  protected def put(upload: UploadHandle, number: Int, bytes: InputStream, length: Long): CompletableFuture[PartHandle]

  override def putPart(
      upload: UploadHandle,
      number: Int,
      isLast: Boolean,
      path: Path,
      bytes: InputStream,
      length: Long): CompletableFuture[PartHandle] = put(upload, number, bytes, length)
}
