// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.file.{Files, Path}
import java.nio.file.attribute.{FileTime, PosixFileAttributes, PosixFilePermissions}

import scala.util.Random

import org.apache.spark.SparkFunSuite

/** Attributes that are read from the fields of Java's object are those that Java gives. */
class UnixAttributesSuite extends SparkFunSuite {

  private val isSuperuser = Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0

  private def requireFields(): Unit =
    assert(UnixAttributes.fields.isDefined == (Runtime.version.feature < 24), "this Java has other fields")

  /** Files of all modes, of several users and groups where that can be. */
  private def inFiles(body: IndexedSeq[Path] => Unit): Unit = withTempDir { folder =>
    val random = new Random(7)
    body((0 until 512).map { bits =>
      val file = Files.write(folder.toPath.resolve(s"f$bits"), Array.fill(bits)(0.toByte))
      if (isSuperuser) {
        Files.setAttribute(file, "unix:uid", random.nextInt(4) * 65533)
        Files.setAttribute(file, "unix:gid", random.nextInt(4) * 65533)
      }
      Files.setAttribute(file, "unix:mode", bits)
      file
    })
  }

  test("the state of a file is that of Java's names, whatever is changed about it") {
    requireFields()
    inFiles { files =>
      def states = files.map { file =>
        assert(UnixAttributes.state(file).contains(UnixAttributes.stateByName(file)))
        UnixAttributes.state(file)
      }
      val before = states
      assert(before.distinct.size == files.size)
      files.foreach { file =>
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"))
        Files.setLastModifiedTime(file, FileTime.fromMillis(0))
      }
      assert(before.zip(states).forall(s => s._1 != s._2))
      Files.delete(files.head)
      assert(UnixAttributes.state(files.head).isEmpty)
      Files.createSymbolicLink(files.head, files.last)
      assert(UnixAttributes.state(files.head) == UnixAttributes.state(files.last))
    }
  }

  test("the access of a file is its own where others have the same owner, group or mode") {
    requireFields()
    inFiles { files =>
      val accesses = new UnixAttributes.Accesses
      (files ++ files).foreach { file =>
        val found = Files.readAttributes(file, classOf[PosixFileAttributes])
        assert(accesses.of(found) == LocalAccess.of(found))
      }
    }
  }
}
