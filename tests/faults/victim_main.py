# SPDX-License-Identifier: Apache-2.0

"""A driver to be killed: opens a session, says so, waits for a line, runs its statements, says so."""

import json
import sys
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession

file = Path(sys.argv[1])
request = json.loads(file.read_text())
builder = SparkSession.builder
for key, value in request["conf"].items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
errors: list[str] = []


def run(number: int, statement: str) -> None:
    time.sleep(number * request["stagger"])
    (file.parent / f"begun-{number}").touch()
    try:
        spark.sql(statement).collect()
    except Exception as error:
        errors.append(str(error))
    (file.parent / f"done-{number}").touch()


print(json.dumps({"ready": spark.sparkContext._gateway.proc.pid}), flush=True)
sys.stdin.readline()
threads = [threading.Thread(target=run, args=pair) for pair in enumerate(request["statements"])]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps({"error": errors[0] if errors else None}), flush=True)
sys.stdin.readline()
spark.stop()
