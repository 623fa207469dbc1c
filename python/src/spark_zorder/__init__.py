# SPDX-License-Identifier: Apache-2.0

"""Z-order clustering for Spark tables.

Example:
    >>> from pyspark.sql import SparkSession
    >>> from spark_zorder import ZOrderTable, configure_spark_with_zorder
    >>> spark = configure_spark_with_zorder(SparkSession.builder, delta=True).getOrCreate()  # doctest: +SKIP
    >>> run = ZOrderTable.forName(spark, "flights").optimize().executeZOrderBy("lat", "lon")  # doctest: +SKIP
    >>> run.select("summary").show(truncate=False)  # doctest: +SKIP
"""

# First of all: nothing else here can be imported without PySpark.
from spark_zorder import _needs_pyspark  # noqa: F401

# isort: split
from spark_zorder import functions, plot
from spark_zorder._jars import jar_path
from spark_zorder._progress import progress
from spark_zorder._report import report
from spark_zorder._versions import versions
from spark_zorder.benchmark import Benchmark
from spark_zorder.errors import (
    ZOrderFileExistsError,
    ZOrderFileNotFoundError,
    ZOrderImportError,
    ZOrderSessionError,
    ZOrderTypeError,
    ZOrderValueError,
)
from spark_zorder.optimize import ZOrderOptimizeBuilder
from spark_zorder.session import configure_spark_with_zorder, require_extension, spark_conf
from spark_zorder.skipping import explain_skipping
from spark_zorder.table import ZOrderTable

__version__ = versions()["project"]

__all__ = [
    "Benchmark",
    "ZOrderFileExistsError",
    "ZOrderFileNotFoundError",
    "ZOrderImportError",
    "ZOrderOptimizeBuilder",
    "ZOrderSessionError",
    "ZOrderTable",
    "ZOrderTypeError",
    "ZOrderValueError",
    "__version__",
    "configure_spark_with_zorder",
    "explain_skipping",
    "functions",
    "jar_path",
    "plot",
    "progress",
    "report",
    "require_extension",
    "spark_conf",
]
