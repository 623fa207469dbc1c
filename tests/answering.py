# SPDX-License-Identifier: Apache-2.0

"""Runs the statements of a file in a new session; see `launching.answers`."""

import json
import sys
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from launching import FILES_READ_BY, RESTART

request = json.loads(Path(sys.argv[1]).read_text())


def session():  # noqa: ANN201 - a script
    builder = SparkSession.builder
    for key, value in request["conf"].items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


spark = session()


def files_read(query):  # noqa: ANN001, ANN201 - a script
    data = spark.sql(query)
    data.collect()
    leaves = data._jdf.queryExecution().executedPlan().collectLeaves()
    assert leaves.size() == 1, f"not one scan: {query}"
    return leaves.apply(0).metrics().apply("numFiles").value()


def answer(sql, parameters):  # noqa: ANN001, ANN201 - a script
    global spark
    try:
        if sql == RESTART:
            spark.stop()
            spark = session()
            return []
        if sql.startswith(FILES_READ_BY):
            return [[files_read(sql.removeprefix(FILES_READ_BY))]]
        return [list(row) for row in spark.sql(sql, parameters).collect()]
    except PySparkException as error:
        return {"condition": error.getCondition(), "state": error.getSqlState(), "message": str(error)}


replies = [answer(sql, parameters) for sql, parameters in request["questions"]]
Path(sys.argv[2]).write_text(json.dumps(replies, default=str))
spark.stop()
