// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import java.io.IOException
import java.nio.{ByteBuffer, ByteOrder}

import scala.util.Random

import io.sparkzorder.format.parquet.folder.{FileUpload, TableFolder}
import io.sparkzorder.format.parquet.log.SimulatedDisk

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

class UploadStreamSuite extends AnyFunSuite {

  private val PartBytes = 1000

  /** A table on a simulated store, a file of it, and the folder for records. */
  private def onStore(body: (SimulatedDisk, TableFolder, Path, Path) => Unit): Unit = {
    val disk = new SimulatedDisk(SimulatedDisk.S3)
    val host = SimulatedDisk.mount(disk)
    try {
      val folder = new TableFolder(new Path(s"${disk.kind.scheme}://${host.name}/t"), SimulatedDisk.conf)
      body(disk, folder, new Path(folder.root, "p=1/file"), new Path(folder.staging, "id"))
    } finally SimulatedDisk.unmount(host)
  }

  private def written(upload: FileUpload.Started, content: Array[Byte], chance: Random): UploadStream = {
    val stream = new UploadStream(upload, PartBytes)
    var at = 0
    while (at < content.length) {
      val n = math.min(content.length - at, 1 + chance.nextInt(if (chance.nextBoolean()) 10 else 2500))
      if (n == 1) stream.write(content(at)) else stream.write(content, at, n)
      at += n
    }
    stream.close()
    stream
  }

  private def parts(disk: SimulatedDisk): Seq[Int] = disk.uploads.values.head.toSeq.sortBy(_._1).map(_._2.length)

  test("parts have one size but the last, and all bytes are in the file when the upload is completed") {
    val chance = new Random(1)
    for (length <- Seq(0, 1, 999, 1000, 1001, 1999, 2000, 2001, 5000, 7777)) onStore { (disk, folder, path, run) =>
      val content = Array.fill(length)(chance.nextInt().toByte)
      val upload = folder.startUpload(path, run)
      val stream = written(upload, content, chance)
      assert(stream.length === length)
      val sizes = parts(disk)
      assert(sizes.sum === length && sizes.init.forall(_ == PartBytes) && sizes.last <= PartBytes)
      assert(folder.status(path) === None)
      folder.complete(path, upload.complete().text).get
      assert(folder.read(path).get === content)
      assert(disk.uploads.isEmpty)
    }
  }

  test("the footer is kept, also where it goes over two parts; one that is larger than they are is an error") {
    val chance = new Random(2)
    val footers = Seq(1, 10, 500, 900, 991, 992, 993, 999, 1000, 1300)
    for (footer <- footers; before <- Seq(4, 700, 1000, 1500, 3210)) onStore { (_, folder, path, run) =>
      val end = Array.fill(footer)(chance.nextInt().toByte) ++
        ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(footer).array ++ "PAR1".getBytes
      val content = Array.fill(before)(chance.nextInt().toByte) ++ end
      val stream = written(folder.startUpload(path, run), content, chance)
      val held = content.length - (math.max(0, (content.length - 1) / PartBytes - 1) * PartBytes)
      if (end.length <= held) assert(stream.footer === end)
      else assert(intercept[IOException](stream.footer).getMessage.contains("fs.s3a.multipart.uploads.enabled"))
    }
  }

  test("an upload is found by its record, and cannot be completed once it is aborted") {
    onStore { (disk, folder, path, run) =>
      val (kept, lost) = (folder.startUpload(path, run), folder.startUpload(path, run))
      Seq(kept, lost).foreach(_.put("rows".getBytes, 4, isLast = true))
      val text = lost.complete().text
      folder.removeRun(run, Set(kept.record))
      assert(disk.uploads.size === 1 && folder.list(run) === Nil)
      folder.complete(path, text).get
      assert(folder.status(path) === None)
      // Repeated, and of one that is completed: nothing is left to abort, and nothing is lost.
      folder.complete(path, kept.complete().text).get
      assert(folder.abort(path, kept.complete().text) && folder.abort(path, text))
      assert(folder.read(path).map(new String(_)) === Some("rows"))
    }
  }

  test("an upload is read as it is written down; a text that is none completes and aborts nothing") {
    onStore { (_, folder, path, run) =>
      val upload = folder.startUpload(path, run)
      (1 to 20).foreach(_ => upload.put(Array.fill[Byte](10)(1), 10, isLast = false))
      val done = upload.complete()
      assert(FileUpload.of(done.text) === done)
      assert(done.text.length < done.parts.size * 20)
      folder.complete(path, "none").get
      assert(!folder.abort(path, "none") && folder.status(path) === None)
    }
  }
}
