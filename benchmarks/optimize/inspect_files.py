# SPDX-License-Identifier: Apache-2.0

"""Reads what a system has written: rows, bytes, the checksum of all rows, and the shares that point lookups read.

    python inspect_files.py FACTS COLUMNS RESULT

Adds to each round in RESULT, as `worker.py` wrote it, `rows`, `bytes_out`, `files_out`; and to RESULT itself, of the
last round, `checksum` and `shares`. The same code does so for every system.
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
from common.shares import point_read_share
from optimize.runners.spark_runner import builder
from optimize.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.footers import Ranges
    from common.shares import Value


def main() -> int:
    """Inspects the files of every round."""
    facts_file, columns, result_file = Path(sys.argv[1]), sys.argv[2].split(","), Path(sys.argv[3])
    facts, result = json.loads(facts_file.read_text()), json.loads(result_file.read_text())
    spark = builder(Spec("inspect", "", [], 0, 0, "3g", str(result_file.parent / "inspect")), {}).getOrCreate()
    try:
        reader = FooterReader(spark)
        for measured in result["rounds"]:
            files = [Path(path) for path in measured.pop("files")]
            measured |= {
                "rows": reader.rows(files),
                "bytes_out": sum(path.stat().st_size for path in files),
                "files_out": len(files),
            }
        ranges = reader.ranges(files, columns)
        result["shares"] = {column: _shares(ranges[column], facts["lookups"][column]) for column in columns}
        result["checksum"] = row_checksum(spark.read.parquet(*map(str, files)), facts["columns"])[1]
    finally:
        spark.stop()
    result_file.write_text(json.dumps(result, indent=1))
    return 0


def _shares(ranges: Ranges, lookups: Sequence[Any]) -> dict[str, float | None]:
    values: list[Value] = [value.encode() if isinstance(value, str) else value for value in lookups]
    return {
        "files": point_read_share(ranges.files, values),
        "row_groups": point_read_share(ranges.row_groups, values),
        "pages": point_read_share(ranges.pages, values),
    }


if __name__ == "__main__":
    sys.exit(main())
