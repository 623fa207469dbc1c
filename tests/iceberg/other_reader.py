# SPDX-License-Identifier: Apache-2.0

"""Reads a table with pyiceberg or DuckDB, or appends to it with pyiceberg, in the environment `.build/iceberg/venv`.

The argument is a document of JSON: `catalog` with the properties of a catalog and `table` with a name in it, or
`metadata` with the path of a metadata file; `reader`, `pyiceberg` or `duckdb`, and `snapshots`, ids or null for the
current one; or `append`, a row. The answer is a list of JSON: for each snapshot its rows, each as a text of JSON.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.table import StaticTable

if TYPE_CHECKING:
    from pyiceberg.table import Table


def opened(asked: dict[str, Any]) -> Table:
    if "metadata" in asked:
        return StaticTable.from_metadata(asked["metadata"])
    return load_catalog(asked["catalog"].pop("name"), **asked["catalog"]).load_table(asked["table"])


def by_duckdb(metadata: str, snapshot: int | None) -> pa.Table:
    import duckdb

    # Its extensions are packages of their own, so that none is asked of DuckDB's server.
    database = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    for name in ("avro", "iceberg"):
        module = importlib.util.find_spec(f"duckdb_extension_{name}")
        (file,) = Path(module.origin).parent.rglob(f"{name}.duckdb_extension")
        database.execute(f"LOAD '{file}'")
    at = "" if snapshot is None else f", snapshot_from_id => {snapshot}"
    return database.execute(f"SELECT * FROM iceberg_scan('{metadata}'{at})").fetch_arrow_table()


def main() -> None:
    asked = json.loads(sys.argv[1])
    table = opened(asked)
    if "append" in asked:
        table.append(pa.Table.from_pylist([asked["append"]], schema=table.schema().as_arrow()))
        return
    found = []
    for snapshot in asked["snapshots"]:
        if asked["reader"] == "duckdb":
            rows = by_duckdb(table.metadata_location, snapshot)
        else:
            rows = table.scan(snapshot_id=snapshot).to_arrow()
        found.append([json.dumps(row, default=str, sort_keys=True) for row in rows.to_pylist()])
    print(json.dumps(found))


if __name__ == "__main__":
    main()
