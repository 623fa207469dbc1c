# SPDX-License-Identifier: Apache-2.0

"""Makes the tables of `tables-<commit>.tar.xz`, with the jar of an older commit: run it once for each build to be kept.

    python tests/older/make_tables.py <jar> <commit>

A PySpark of the jar's minor runs it, and `.build/delta-jars` must be there. `_zorder`, logs and the files' times are as
that build left them. Two of the tables belong to drivers that were killed in a rewrite, which is tried until it is the
right moment.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from launching import DELTA, DELTA_CATALOG, ZORDER, delta_jars, small  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

# All tables have the rows of this, by ranges of `n`; three partitions.
ROWS = "SELECT id n, id * 37 % 1000 x, id * 91 % 1000 y, concat('s', id % 50) s, id % 3 p FROM range({first}, {last})"
OPTIONS = "OPTIONS (target_file_size = '3k')"


def session(folder: Path, jar: str) -> SparkSession:
    builder = SparkSession.builder
    conf = small(folder) | {
        "spark.jars": ",".join([jar, *delta_jars()]),
        "spark.sql.extensions": f"{DELTA},{ZORDER}",
        "spark.sql.catalog.spark_catalog": DELTA_CATALOG,
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.parquet.compression.codec": "zstd",
    }
    for key, value in conf.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def load(spark: SparkSession, path: Path, form: str, first: int, last: int) -> None:
    rows = spark.sql(ROWS.format(first=first, last=last)).repartition(1)
    rows.write.format(form).partitionBy("p").mode("append").save(str(path))


def make_whole(spark: SparkSession, base: Path) -> dict[str, dict[str, str]]:
    """A clustered table of each format, with rows that came later, and an ordered one; the properties of these."""
    for form in ("parquet", "delta"):
        path = base / f"{form}_clustered"
        load(spark, path, form, 0, 600)
        spark.sql(f"OPTIMIZE {form}.`{path}` ZORDER BY (x, y) {OPTIONS}").collect()
        load(spark, path, form, 600, 700)
        name = f"{form}_ordered"
        spark.sql(
            f"CREATE TABLE {name} (n BIGINT, x BIGINT, y BIGINT, s STRING, p BIGINT) USING {form} PARTITIONED BY (p) "
            f"LOCATION '{base / name}' SORT BY ZORDER (x, y)"
        )
        spark.sql(f"INSERT INTO {name} {ROWS.format(first=0, last=600)}")
    spark.sql(f"ANALYZE TABLE parquet.`{base / 'parquet_clustered'}` COMPUTE FILE STATISTICS").collect()
    names = ("parquet_ordered", "delta_ordered")
    return {name: dict(spark.sql(f"SHOW TBLPROPERTIES {name}").collect()) for name in names}


def make_killed(base: Path, jar: str, name: str, moment: Callable[[Path], bool]) -> None:
    """A table whose rewriter was killed at a moment that is known by the names in its folder."""
    path = base / name
    while True:
        before = base / "before"
        shutil.copytree(before, path, copy_function=shutil.copy2)
        work = Path(tempfile.mkdtemp())
        command = [sys.executable, __file__, jar, "victim", str(path)]
        process = subprocess.Popen(command, cwd=work, start_new_session=True)
        while process.poll() is None and not moment(path):
            pass
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        time.sleep(0.5)
        if moment(path):
            return
        print(f"{name}: once more")
        shutil.rmtree(path)


def names_in_log(path: Path) -> list[str]:
    folder = path / "_zorder" / "log"
    return [file.name for file in folder.iterdir()] if folder.exists() else []


def is_open(path: Path) -> bool:
    """There is an entry, and nobody has decided about it."""
    names = [name for name in names_in_log(path) if not name.startswith(".")]
    return any(name.endswith(".json") for name in names) and not any(name.endswith(".verdict") for name in names)


def is_decided(path: Path) -> bool:
    """It is decided, and not all of the old files are deleted."""
    names = [name for name in names_in_log(path) if not name.startswith(".")]
    decided = any(name.endswith(".verdict") for name in names) and not any(name.endswith(".closed") for name in names)
    return decided and any("-old-" in file.name for file in path.glob("p=*/*.parquet"))


def main() -> None:
    jar, commit = sys.argv[1:3]
    if commit == "victim":
        spark = session(Path.cwd(), jar)
        spark.sql(f"OPTIMIZE parquet.`{sys.argv[3]}` ZORDER BY (x, y) {OPTIONS}").collect()
        return
    work = Path(tempfile.mkdtemp())
    os.chdir(work)
    base = work / "tables"
    base.mkdir()
    spark = session(work, jar)
    properties = make_whole(spark, base)
    for first in range(0, 600, 200):
        load(spark, base / "before", "parquet", first, first + 200)
    spark.stop()
    for file in list((base / "before").glob("p=*/*.parquet")):
        file.rename(file.with_name(f"part-old-{file.name[5:]}"))
    for file in list((base / "before").glob("p=*/.*.crc")):
        file.unlink()
    make_killed(base, jar, "parquet_open", is_open)
    make_killed(base, jar, "parquet_decided", is_decided)
    shutil.rmtree(base / "before")
    files = (file for file in sorted(base.rglob("*")) if file.is_file())
    times = {str(file.relative_to(base)): file.stat().st_mtime_ns for file in files}
    (base / "made.json").write_text(json.dumps({"commit": commit, "properties": properties, "times": times}))
    with tarfile.open(HERE / f"tables-{commit}.tar.xz", "w:xz") as archive:
        archive.add(base, ".")


if __name__ == "__main__":
    main()
