// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.File
import java.nio.file.{Files, Path}
import java.nio.file.attribute.{PosixFilePermission, PosixFilePermissions}

import scala.jdk.CollectionConverters._

import io.sparkzorder.format.parquet.ParquetTables
import io.sparkzorder.format.parquet.listing.TableDefinition

import org.apache.spark.sql.types.StructType

/** Tables whose files are open to some, and what of them is. */
trait FileModes extends ParquetTables {

  protected def permissions(file: Path): Set[PosixFilePermission] = Files.getPosixFilePermissions(file).asScala.toSet

  protected def set(file: Path, permissions: String): Unit =
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions))

  protected def below(path: String): Seq[Path] =
    Files.walk(new File(path).toPath).iterator.asScala.toSeq

  protected def own(path: String): Seq[Path] = below(s"$path/_zorder")

  protected def isOfOwnerOnly(file: Path): Boolean =
    permissions(file).forall(_.name.startsWith("OWNER_"))

  protected def setData(path: String, permissions: String): Unit =
    below(path).filter(f => Files.isRegularFile(f) && !f.toString.contains("_zorder")).foreach(set(_, permissions))

  protected def writeData(path: String): Unit = {
    events(900).where("p < 2").repartition(2).write.partitionBy("p").parquet(path)
    set(new File(path).toPath, "rwxr-xr-x")
  }

  /** The table that [[writeData]] writes. */
  protected def tableOf(path: String): TableDefinition = {
    val partitions = new StructType().add("p", "int")
    TableDefinition("t", tableFolder(path), None, spark.read.parquet(path).drop("p").schema, partitions, Map.empty)
  }

  protected val rewrite = "ZORDER BY (a, b) OPTIONS (target_file_size = '4k')"
}
