# SPDX-License-Identifier: Apache-2.0

"""Real OPTIMIZE runs reach the shares of files read that the layout model reaches on the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from layout_model import modelled, read_share
from points import bytes_per_file

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import SparkSession

ROWS = 200_000
ASKED = 48

# How a column of whole numbers is stored, so that the stored values have the numbers' order.
FORMS = {
    "numbers": "{c}",
    "strings with a common start": "concat('customer-of-the-eastern-branch-', lpad({c} + 5000000000, 12, '0'))",
    "decimals": "cast({c} AS decimal(22, 2)) / 4",
    "timestamps": "timestamp_micros({c} * 1000)",
    "doubles": "{c} / 3.0D",
}


def drawn(kind: str, k: int) -> list[NDArray[np.int64]]:
    """Columns of whole numbers."""
    rng = np.random.default_rng(k)
    if kind == "uniform":
        return [rng.integers(0, 1 << 30, ROWS) for _ in range(k)]
    if kind == "correlated":
        base = rng.integers(0, 1 << 20, ROWS)
        return [base + rng.integers(0, 1 << (16 + i), ROWS) for i in range(k)]
    mixed = [
        rng.zipf(1.3, ROWS) % 1_000_000,
        rng.integers(0, 1 << 20, ROWS),
        rng.normal(0, 1e6, ROWS).astype(np.int64),
        rng.zipf(1.5, ROWS) % 200,
    ]
    return [column.astype(np.int64) for column in mixed[:k]]


def optimized(
    spark: SparkSession, name: str, columns: list[NDArray[np.int64]], form: str, curve: str
) -> NDArray[np.int64]:
    """Z-orders a table of the columns, stored in a form; the file of each row."""
    names = [f"c{i}" for i in range(len(columns))]
    rows = spark.createDataFrame(pd.DataFrame({"row": np.arange(ROWS)} | dict(zip(names, columns, strict=True))))
    stored = rows.selectExpr("row", *[f"{FORMS[form].format(c=n)} AS {n}" for n in names])
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    stored.repartition(8).write.format("delta").saveAsTable(name)
    options = f"target_file_size = '{bytes_per_file(spark, name, ASKED)}', curve = '{curve}'"
    spark.sql(f"OPTIMIZE {name} ZORDER BY ({', '.join(names)}) OPTIONS ({options})").collect()
    placed = spark.table(name).selectExpr("row", "input_file_name() AS file").toPandas().sort_values("row")
    assert len(placed) == ROWS
    return pd.factorize(placed["file"])[0].astype(np.int64)


SHORT = [("mixed", 2, "numbers")]
CASES = [
    *[(kind, k, "numbers") for kind in ("uniform", "mixed") for k in (2, 3, 4)],
    ("correlated", 2, "numbers"),
    *[("mixed", 2, form) for form in FORMS if form != "numbers"],
]


@pytest.mark.parametrize(
    ("kind", "k", "form"), [pytest.param(*case, marks=[] if case in SHORT else pytest.mark.long) for case in CASES]
)
def test_z_order_reaches_the_model(spark: SparkSession, kind: str, k: int, form: str) -> None:
    columns = drawn(kind, k)
    file_of = optimized(spark, "modelled", columns, form, "zorder")
    files = int(file_of.max()) + 1
    sample = np.random.default_rng(9).integers(0, ROWS, 50_000)
    model = modelled(columns, sample, files)

    ours = np.mean([read_share(c, file_of) for c in columns])
    theirs = np.mean([read_share(c, model) for c in columns])

    # Where the model has no layout of as many files: what each of k columns reads goes with files ** (-1 / k).
    assert ours <= 1.02 * theirs * ((model.max() + 1) / files) ** (1 / k)
    # 64 cells cut four columns in 4, 4, 2 and 2: a mean of 1.06 times that of four equal cuts, if there were any.
    if kind == "uniform" and k < 4:
        assert ours <= 1.05 * files ** (-1 / k)


@pytest.mark.daily
def test_hilbert_on_even_columns(spark: SparkSession) -> None:
    columns = drawn("uniform", 2)
    file_of = optimized(spark, "modelled", columns, "numbers", "hilbert")
    assert np.mean([read_share(c, file_of) for c in columns]) <= 1.05 * (file_of.max() + 1) ** -0.5
