"""Runs the statements of a file in a new session; see `launching.answers`."""

import json
import sys
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

request = json.loads(Path(sys.argv[1]).read_text())
builder = SparkSession.builder
for key, value in request["conf"].items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()


def answer(sql, parameters):  # noqa: ANN001, ANN201 - a script
    try:
        return [list(row) for row in spark.sql(sql, parameters).collect()]
    except PySparkException as error:
        return {"condition": error.getCondition(), "state": error.getSqlState(), "message": str(error)}


replies = [answer(sql, parameters) for sql, parameters in request["questions"]]
Path(sys.argv[2]).write_text(json.dumps(replies, default=str))
spark.stop()
