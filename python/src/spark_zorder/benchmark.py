# SPDX-License-Identifier: Apache-2.0

"""The seconds, files and bytes of a user's own queries, to be compared before and after a change of the layout."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_zorder._comparison import Comparison, QueryFigures, figures_grid
from spark_zorder._grid import plain
from spark_zorder._result import grid_html
from spark_zorder.errors import ZOrderFileExistsError, ZOrderValueError, wrong_type
from spark_zorder.skipping import explain_skipping

if TYPE_CHECKING:
    import os

    from pyspark.sql import Row, SparkSession

__all__ = ["Benchmark", "QueryFigures", "benchmark", "figures", "require_same_queries"]

_FORM = "spark-zorder benchmark 1"
# Of EXPLAIN SKIPPING, in the order of the fields.
_FIGURES = ("files_read", "files_total", "bytes_read", "bytes_total")


class Benchmark:
    """What queries took; it prints as a table.

    Example:
        >>> before = table.benchmark("SELECT * FROM flights WHERE dest_lat > 60")  # doctest: +SKIP
        >>> table.optimize().executeZOrderBy("dest_lat", "dest_lon")  # doctest: +SKIP
        >>> print(table.benchmark(before.texts).compared_with(before))  # doctest: +SKIP
    """

    def __init__(self, queries: Sequence[QueryFigures]) -> None:
        """Use `ZOrderTable.benchmark` or `load`.

        Args:
            queries: the figures of each query.
        """
        self.queries = tuple(queries)

    @property
    def texts(self) -> dict[str, str]:
        """The queries by their names, as `ZOrderTable.benchmark` takes them."""
        return {each.name: each.query for each in self.queries}

    def compared_with(self, before: Benchmark) -> Comparison:
        """Returns a table of both, which `print` shows.

        Args:
            before: the same queries, measured before.

        Raises:
            ZOrderValueError: it has other queries (`ZORDER_OTHER_QUERIES`).
            ZOrderTypeError: it is no `Benchmark`.

        Example:
            >>> print(after.compared_with(Benchmark.load("before.json")))  # doctest: +SKIP
        """
        if not isinstance(before, Benchmark):
            raise wrong_type("before", "a Benchmark", before)
        require_same_queries(before.texts, self.texts)
        earlier = {each.name: each for each in before.queries}
        return Comparison([(earlier[each.name], each) for each in self.queries])

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the figures to a file of JSON, for `load`.

        Args:
            path: the file.
            overwrite: write it even if it is there.

        Raises:
            ZOrderFileExistsError: it is there (`ZORDER_PATH_EXISTS`).

        Example:
            >>> table.benchmark(queries).save("before.json")  # doctest: +SKIP
        """
        file = Path(path)
        try:
            with file.open("w" if overwrite else "x", encoding="utf-8") as stream:
                stream.write(json.dumps(self.document(), indent=2) + "\n")
        except FileExistsError as error:
            raise ZOrderFileExistsError("ZORDER_PATH_EXISTS", path=str(file)) from error
        return file

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Benchmark:
        """Reads what `save` wrote.

        Raises:
            FileNotFoundError: it is not there.
            ZOrderValueError: it is no such file (`ZORDER_NOT_A_BENCHMARK`).

        Example:
            >>> before = Benchmark.load("before.json")  # doctest: +SKIP
        """
        text = Path(path).read_text(encoding="utf-8")
        try:
            document = json.loads(text)
            if document["form"] != _FORM:
                raise ValueError(document["form"])
            return Benchmark([QueryFigures(**{**each, "runs": tuple(each["runs"])}) for each in document["queries"]])
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ZOrderValueError("ZORDER_NOT_A_BENCHMARK", path=str(path)) from error

    def document(self) -> dict[str, Any]:
        """Returns the figures as `save` writes them."""
        return {"form": _FORM, "queries": [asdict(each) for each in self.queries]}

    def __str__(self) -> str:
        """Returns the figures as a table of text."""
        return plain(figures_grid(self.queries))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grid_html(figures_grid(self.queries))


def require_same_queries(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Checks that queries, by their names, can be compared.

    Raises:
        ZOrderValueError: some are in one only, or differ (`ZORDER_OTHER_QUERIES`).
    """
    if differing := dict(before.items() ^ after.items()):
        raise ZOrderValueError("ZORDER_OTHER_QUERIES", queries=", ".join(map(repr, sorted(differing))))


def benchmark(spark: SparkSession, queries: str | Sequence[str] | Mapping[str, str], runs: int = 3) -> Benchmark:
    """Measures queries as `ZOrderTable.benchmark` does.

    Args:
        spark: the session, classic or Connect.
        queries: a query in SQL, several, or several by their names.
        runs: how often each runs.
    """
    named = _named(queries)
    if not isinstance(runs, int) or isinstance(runs, bool):
        raise wrong_type("runs", "a whole number", runs)
    if runs < 1:
        raise ZOrderValueError("ZORDER_UNKNOWN_ARGUMENT", argument="runs", value=str(runs), allowed="1 or more")
    # All are planned before the first one runs: a text that is no query, or wrong, is found at once.
    scans = {name: explain_skipping(spark, query).collect() for name, query in named.items()}
    return Benchmark([figures(name, query, scans[name], _seconds(spark, query, runs)) for name, query in named.items()])


def figures(name: str, query: str, scans: Sequence[Row], runs: Sequence[float]) -> QueryFigures:
    """Returns the figures of a query: of its scans the sums, of its runs the median.

    Args:
        name: its name.
        query: its text.
        scans: rows of EXPLAIN SKIPPING.
        runs: seconds of each run.
    """
    return QueryFigures(
        name,
        query,
        statistics.median(runs),
        tuple(runs),
        *(_sum([scan[figure] for scan in scans]) for figure in _FIGURES),
    )


def _sum(parts: Sequence[int | None]) -> int | None:
    return None if None in parts else sum(part for part in parts if part is not None)


def _seconds(spark: SparkSession, query: str, runs: int) -> list[float]:
    found = []
    for _ in range(runs):
        begun = time.perf_counter()
        # This sink computes every row of the result and keeps none; planning counts, as it does for who asks.
        spark.sql(query).write.format("noop").mode("overwrite").save()
        found.append(time.perf_counter() - begun)
    return found


def _named(queries: str | Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    if isinstance(queries, Mapping):
        named = dict(queries)
    elif isinstance(queries, str):
        named = {queries: queries}
    elif isinstance(queries, Iterable):
        texts = list(queries)
        if any(not isinstance(text, str) for text in texts):
            raise wrong_type("A query", "a string", next(text for text in texts if not isinstance(text, str)))
        named = {text: text for text in texts}
    else:
        raise wrong_type("queries", "a string, a list or a dict of strings", queries)
    for text in (each for pair in named.items() for each in pair):
        if not isinstance(text, str):
            raise wrong_type("A query", "a string", text)
        if not text.strip():
            raise ZOrderValueError("ZORDER_EMPTY_ARGUMENT", argument="A query", hint="give a query in SQL")
    if not named:
        raise ZOrderValueError("ZORDER_EMPTY_ARGUMENT", argument="queries", hint="give a query in SQL")
    return named
