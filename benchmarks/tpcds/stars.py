# SPDX-License-Identifier: Apache-2.0

"""Star joins of each fact, with the files that hold a row of their result: the least that a query of them can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tpcds.measure import PRUNED, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession


class Star(NamedTuple):
    """A join of a fact with filtered dimensions, which are named in `tables`, by the rows of `condition`."""

    name: str
    fact: str
    tables: str
    condition: str

    @property
    def source(self) -> str:
        """What follows SELECT and its columns."""
        return f"FROM {self.fact} JOIN {self.tables} WHERE {self.condition}"

    @property
    def query(self) -> str:
        """The query that is measured."""
        amount = {"store_sales": "ss", "catalog_sales": "cs", "web_sales": "ws"}[self.fact] + "_ext_sales_price"
        return f"SELECT count(*) AS rows, sum({amount}) AS amount {self.source}"

    @property
    def floor(self) -> str:
        """A query for the number of files that hold a row of the join, and for their bytes."""
        file = f"{self.fact}._metadata.file_path AS path, {self.fact}._metadata.file_size AS size"
        return f"SELECT count(*), coalesce(sum(size), 0) FROM (SELECT DISTINCT {file} {self.source})"


def _dated(fact: str, prefix: str) -> list[Star]:
    day = f"date_dim ON {prefix}_sold_date_sk = d_date_sk"
    item = f"{day} JOIN item ON {prefix}_item_sk = i_item_sk"
    return [
        Star(f"{fact}: a day", fact, day, "d_date = DATE'2000-11-11'"),
        Star(f"{fact}: a month", fact, day, "d_year = 2000 AND d_moy = 11"),
        Star(f"{fact}: a month, a category", fact, item, "d_year = 2000 AND d_moy = 11 AND i_category = 'Books'"),
        Star(f"{fact}: a year, 20 items", fact, item, "d_year = 2000 AND i_item_sk BETWEEN 1001 AND 1020"),
    ]


STARS = [
    *_dated("store_sales", "ss"),
    *_dated("catalog_sales", "cs"),
    *_dated("web_sales", "ws"),
    Star(
        "store_sales: a manufacturer",
        "store_sales",
        "item ON ss_item_sk = i_item_sk",
        "i_manufact_id = 128",
    ),
]


def measured(spark: SparkSession, stars: Sequence[Star], limit: float) -> list[dict[str, Any]]:
    """Of each star what it reads with pruning, and the least that it has to."""
    found = []
    for star in stars:
        PRUNED._replace(prunes=False).use(spark)
        files, size = spark.sql(star.floor).head()
        rows = run(spark, star.query, limit)["answer"]
        PRUNED.use(spark)
        once = run(spark, star.query, limit)
        read = once["read"][star.fact]
        found.append(
            {
                "name": star.name,
                "least_files": files,
                "least_bytes": size,
                "files": read["files"],
                "bytes": read["bytes"],
                "same": once["answer"] == rows,
            }
        )
    return found
