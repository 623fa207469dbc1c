# SPDX-License-Identifier: Apache-2.0

"""Random queries and statements on Iceberg tables, with data skipping and without: the same rows."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.append(str(Path(__file__).parent.parent / "random_queries"))

from random_queries import Trial

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERIES, SEED = int(os.environ.get("QUERIES", "60")), int(os.environ.get("SEED", "20261127"))


def test_random_queries_and_changes_have_the_same_rows_with_skipping_and_without(
    spark: SparkSession, tmp_path: Path
) -> None:
    trial = Trial(spark, tmp_path, SEED)

    trial.queries("iceberg", QUERIES)
    trial.changes(QUERIES // 3, "iceberg")

    print(dict(trial.counts))
    assert not trial.wrong
    assert trial.counts["iceberg changes"] > QUERIES // 6
    assert trial.counts["iceberg queries"] > QUERIES // 2
