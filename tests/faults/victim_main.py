"""A driver to be killed: opens a session, says so, waits for a line, runs one statement, says so."""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

request = json.loads(Path(sys.argv[1]).read_text())
builder = SparkSession.builder
for key, value in request["conf"].items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
print(json.dumps({"ready": spark.sparkContext._gateway.proc.pid}), flush=True)
sys.stdin.readline()
try:
    spark.sql(request["statement"]).collect()
    print(json.dumps({"error": None}), flush=True)
except Exception as error:
    print(json.dumps({"error": str(error)}), flush=True)
sys.stdin.readline()
spark.stop()
