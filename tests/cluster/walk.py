# SPDX-License-Identifier: Apache-2.0

"""A user's program: starts Spark by the helper, and runs every statement on both formats."""

import json
import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from statements import FORMATS, statements

from spark_zorder import configure_spark_with_zorder

folder, conf, place = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3]
if conf.get("spark.api.mode") == "connect":
    # PySpark then takes a free port in place of its fixed one.
    os.environ["SPARK_TESTING"] = "1"
builder = SparkSession.builder
for key, value in conf.items():
    builder = builder.config(key, value)
spark = configure_spark_with_zorder(builder, delta=True).getOrCreate()
answers = {
    table_format: {
        purpose: [row.asDict(recursive=True) for row in spark.sql(statement).collect()]
        for purpose, statement in statements(table_format, place).items()
    }
    for table_format in FORMATS
}
(folder / "answers.json").write_text(json.dumps(answers, default=str))
spark.stop()
