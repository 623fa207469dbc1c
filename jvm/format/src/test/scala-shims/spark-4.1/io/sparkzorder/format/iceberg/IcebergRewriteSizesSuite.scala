// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import org.apache.spark.sql.{QueryTest, Row}

/** What Iceberg's tests of a rewrite promise of the sizes and the numbers of files. */
class IcebergRewriteSizesSuite extends QueryTest with IcebergPromises {

  private def bytes: Long = files.map(_.fileSizeInBytes).sum

  private def to(size: Long, by: String = "id", more: String = ""): Row =
    optimize(s"ZORDER BY ($by) OPTIONS (target_file_size = '$size'$more)")

  /** Near the size that was asked for, by the 35 % within which a file is cut, and what its rows compress otherwise. */
  private def assertNear(size: Long): Unit =
    files.map(_.fileSizeInBytes).foreach(s => assert(s > size * 0.5 && s < size * 1.6, s"$s of $size"))

  for (version <- 2 to 4; by <- Seq("id", "a, b")) {
    test(s"a large file is divided: version $version, by $by") {
      withIceberg {
        create(promised(20000).coalesce(1), version)
        val size = bytes / 2
        assert(swapped(to(size, by)) === ((1, 2)))
        assertNear(size)
      }
    }

    test(s"files of medium size are divided and put together: version $version, by $by") {
      withIceberg {
        create(promised(20000).repartition(4), version)
        val size = bytes / 3
        val (removed, added) = swapped(to(size, by))
        assert(removed === 4 && added >= 3 && added <= 4)
        assertNear(size)
      }
    }

    test(s"files of different sizes become files of one size: version $version, by $by") {
      withIceberg {
        create(promised(6000).coalesce(1), version)
        append(promised(6000, 6000).coalesce(1))
        append(promised(18000, 12000).coalesce(1))
        val size = bytes / 3
        assert(swapped(to(size, by))._1 === 3)
        assert(files.size >= 3 && files.size <= 4)
        assertNear(size)
      }
    }
  }

  test("twice as many files where files of half the size are asked for") {
    withIceberg {
      create(promised(40000).repartition(20))
      val size = bytes / 40
      val result = to(size, "a, b")
      assert(swapped(result)._1 === 20 && files.size >= 28 && files.size <= 52, files.size)
      assertBytes(result)
    }
  }

  test("the size of the table's property, before which that of the statement goes") {
    withIceberg {
      create(promised(20000).repartition(2))
      def setTo(size: Long) = sql(s"ALTER TABLE $t SET TBLPROPERTIES ('write.target-file-size-bytes' = '$size')")
      val size = bytes / 6
      setTo(size)
      optimize("ZORDER BY (id)")
      assert(files.size >= 5 && files.size <= 8)
      assertNear(size)
      assert(swapped(to(bytes / 2))._2 === 2)
      setTo(512L * 1024 * 1024)
      optimize("ZORDER BY (id)")
      assert(files.size === 1)
    }
  }

  test("a partition that has less than the size gets one file, a larger one several") {
    withIceberg {
      create(
        promised(20000).selectExpr("id", "a", "b", "c", "if(id % 20 = 0, 0, 1) AS p").repartition(4),
        partitionedBy = "p",
        properties = scattered)
      to(bytes / 5, "a, b")
      val numbers = files.groupBy(_.partition.get(0, classOf[Integer]).toInt).map { case (p, of) => p -> of.size }
      assert(numbers(0) === 1 && numbers(1) >= 4 && numbers(1) <= 7, numbers)
    }
  }

  // Iceberg leaves few files, and files of the right size, where they are; so does an incremental run with clustered ones.
  for (version <- 2 to 4)
    test(s"files that are as they are to be stay where an incremental run finds them, version $version") {
      withIceberg {
        create(promised(20000).repartition(4), version)
        val size = bytes / 8
        to(size, "a, b", ", mode = 'incremental'")
        val before = files.map(_.location)
        assert(before.size >= 6)
        for (asked <- Seq(size, size * 9 / 10)) {
          val clauses = s"ZORDER BY (a, b) OPTIONS (target_file_size = '$asked', mode = 'incremental')"
          assert(swapped(optimize(clauses, snapshots = 0)) === ((0, 0)))
        }
        assert(files.map(_.location) === before)
      }
    }
}
