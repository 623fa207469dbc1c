# SPDX-License-Identifier: Apache-2.0

"""A measured process: all ways of one system.

python sorting_worker.py zorder|delta|iceberg SPEC RESULT
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.footers import FooterReader
from common.row_checksum import row_checksum
from common.sessions import CATALOG, delta_session, iceberg_session, zorder_session
from sorting.data import (
    STORE_SALES,
    UNIFORM_COUNTS,
    drawn,
    open_store_sales,
    open_uniform,
    store_sales_source,
    uniform_source,
)
from sorting.reads import by_indexes, checked, page_indexes
from sorting.ways import WAYS
from sorting.writes import Layout, Tables, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import SparkSession

_SESSIONS: dict[str, Callable[[Path, str], SparkSession]] = {
    "zorder": zorder_session,
    "delta": delta_session,
    "iceberg": iceberg_session,
}

# The ways that the uniform table is written in.
_UNIFORM_WAYS = ("lexical", "local", "raw", "global")

# How many of the drawn values are looked up by queries too.
_CHECKED = 1


def main() -> int:
    """Runs what the specification says."""
    system, spec, result = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
    spark = _SESSIONS[system](Path(spec["work"]) / system, spec["memory"])
    layout = Layout(spec["page_rows"], spec["row_group_mb"] << 20)
    ways = [name for name in spec["ways"] if WAYS[name].system == system]
    found = _store_sales(spark, layout, ways, spec)
    if system == "zorder" and spec["uniform_rows"]:
        found["uniform"] = _uniform(spark, layout, [name for name in ways if name in _UNIFORM_WAYS], spec)
    if system == "iceberg":
        found["answer"] = _zorder_asked(spark)
    result.write_text(json.dumps(found, indent=1))
    spark.stop()
    return 0


def _store_sales(spark: SparkSession, layout: Layout, ways: Sequence[str], spec: Mapping[str, Any]) -> dict[str, Any]:
    source = store_sales_source(spec["scale"], spec["tasks"])
    rows = open_store_sales(spark, source, spec["scale"], spec["tasks"])
    lookups = drawn(rows, source.columns, spec["values"])
    tables, reader = Tables(spark, layout), FooterReader(spark)
    found: dict[str, Any] = {}
    count = spec["rounds" if all(WAYS[name].system == "zorder" for name in ways) else "peer_rounds"]
    for name, rounds in timed(tables, ways, source, rows, count).items():
        way = WAYS[name]
        indexes = page_indexes(reader, tables.files(way, source), lookups)
        found[name] = {
            "rounds": rounds,
            "values": STORE_SALES,
            "checksum": row_checksum(spark.table(tables.name(way, source)), rows.columns),
            "read": by_indexes(indexes, lookups, source.values),
        }
        if way.system == "zorder":
            asked = {column: [source.values[column], *values[:_CHECKED]] for column, values in lookups.items()}
            found[name]["checked"] = checked(spark, tables.name(way, source), indexes, asked)
    return {"ways": found, "checksum": row_checksum(rows, rows.columns), "uniform": {}}


def _uniform(spark: SparkSession, layout: Layout, ways: Sequence[str], spec: Mapping[str, Any]) -> dict[str, Any]:
    source = uniform_source(spec["uniform_rows"], spec["tasks"])
    rows = open_uniform(spark, source, spec["uniform_rows"], spec["tasks"])
    tables, reader = Tables(spark, layout), FooterReader(spark)
    found: dict[str, Any] = {}
    for count in UNIFORM_COUNTS:
        columns = source.columns[:count]
        lookups = drawn(rows, columns, spec["values"])
        found[str(count)] = {}
        for name in ways:
            way = WAYS[name]
            tables.write(way, source, rows, columns)
            indexes = page_indexes(reader, tables.files(way, source), lookups)
            asked = {column: values[:1] for column, values in lookups.items()}
            found[str(count)][name] = {
                "read": by_indexes(indexes, lookups, {}),
                "checked": checked(spark, tables.name(way, source), indexes, asked),
            }
    return found


def _zorder_asked(spark: SparkSession) -> str:
    """What Iceberg says to a z-order as a table's write order."""
    name = f"{CATALOG}.sorting.asked"
    spark.sql(f"CREATE TABLE IF NOT EXISTS {name} (a INT, b INT) USING iceberg")
    try:
        spark.sql(f"ALTER TABLE {name} WRITE ORDERED BY zorder(a, b)")
    except Exception as error:
        return f"`{str(error).strip().splitlines()[0][:200]}`"
    return "nothing, it takes it"


if __name__ == "__main__":
    sys.exit(main())
