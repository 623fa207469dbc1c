# SPDX-License-Identifier: Apache-2.0

"""A session with Delta Lake alone, without anything of ours, that answers questions line by line; see `plain_delta`."""

import hashlib
import json
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

from pyspark.sql import SparkSession

builder = SparkSession.builder
for key, value in json.loads(Path(sys.argv[1]).read_text()).items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()


def answer(question):  # noqa: ANN001, ANN201 - a script
    """What a reader sees of the latest version: digest of its rows as a multiset, their number, its data files."""
    table = spark.read.format("delta").load(question["path"])
    rows = sorted(repr(tuple(row)) for row in table.collect())
    digest = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return {
        "rows": [len(rows), digest],
        "files": [unquote(urlparse(file).path) for file in table.inputFiles()],
        "version": spark.sql(f"DESCRIBE HISTORY delta.`{question['path']}` LIMIT 1").collect()[0]["version"],
    }


print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    try:
        print(json.dumps(answer(json.loads(line))), flush=True)
    except Exception as error:
        print(json.dumps({"error": str(error)}), flush=True)
