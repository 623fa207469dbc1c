// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import java.io.File
import java.nio.file.Files

import io.sparkzorder.errors.ZOrderRuntimeException

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkFunSuite

class ForeignSnapshotSuite extends SparkFunSuite {

  private val hadoop = new Configuration

  private def found(name: String): String = ForeignSnapshot.status(name, hadoop).getPath.toUri.getPath

  test("a file by its name, encoded as by Spark's readers or not, as by Iceberg's") {
    for (folder <- Seq("plain", "a b", "a%20b", "day=10%3A00", "100%", "ü")) withTempDir { dir =>
      val file = new File(dir, s"$folder/f.parquet")
      file.getParentFile.mkdir()
      Files.createFile(file.toPath)
      for (name <- Seq(file.toURI.toString, file.getPath, s"file:$file")) assert(found(name) === file.getPath, name)
    }
  }

  test("a file that is not there is named") {
    val e = intercept[ZOrderRuntimeException](found("/nowhere/a%20b/f.parquet"))
    assert(e.getCondition === "ZORDER_UNREADABLE_FILE" && e.getSqlState === "KD001")
    assert(e.getMessageParameters.get("file") === "/nowhere/a%20b/f.parquet")
  }
}
