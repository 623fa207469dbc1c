# SPDX-License-Identifier: Apache-2.0

"""What of Spark's changes between its minors is used in shims; the list beside this file has what is used elsewhere."""

from __future__ import annotations

from pathlib import Path

from internals import LIST, internals, shims

import spark_zorder

# Of these at least one of Spark 4.0, 4.1 and 4.2 has none, or another one.
CHANGED = [
    "catalyst/analysis/IdentifierResolution",
    "catalyst/expressions/DirectShufflePartitionID",
    "catalyst/parser/ParameterContext",
    "catalyst/parser/ParameterHandler",
    "catalyst/plans/logical/CreateTableLike",
    "catalyst/plans/physical/ShufflePartitionIdPassThrough",
    "execution/streaming/sinks/FileStreamSink",
]


def test_nothing_else_of_sparks_inside_is_used() -> None:
    """A class more is a decision: does every Spark of `spark.minors` have it? `internals.py` writes the list anew."""
    assert internals([Path(spark_zorder.jar_path())], shims()) == LIST.read_text().split()


def test_what_changes_is_used_in_shims_alone() -> None:
    jar = Path(spark_zorder.jar_path())
    everything = internals([jar], frozenset())

    for name in CHANGED:
        assert f"org/apache/spark/sql/{name}" in everything
        assert f"org/apache/spark/sql/{name}" not in internals([jar], shims())
