# SPDX-License-Identifier: Apache-2.0

"""Figures of what a layout is worth, by plotly; needs `pip install 'spark-zorder[plot]'`.

Each takes a `ZOrderTable`, a snapshot of one (`extents`), or the rows of `DESCRIBE LAYOUT EXTENDED` as a pandas or
Spark DataFrame, and returns a plotly `Figure`. `figure.layout.meta["description"]` says in words what it shows.

Example:
    >>> from spark_zorder import plot
    >>> before = plot.extents(table, ["dest_lat", "dest_lon"])  # doctest: +SKIP
    >>> result = table.optimize().executeZOrderBy("dest_lat", "dest_lon")  # doctest: +SKIP
    >>> plot.extent_map(before, table, x="dest_lon", y="dest_lat").show()  # doctest: +SKIP
    >>> plot.read_shares(result).show()  # doctest: +SKIP
"""

from spark_zorder._layout.extents import Extents
from spark_zorder._layout.source import extents
from spark_zorder.plot._along import extents_along
from spark_zorder.plot._curve import curve
from spark_zorder.plot._depth import depth_histogram
from spark_zorder.plot._grid import grid_example
from spark_zorder.plot._map import extent_map
from spark_zorder.plot._share_bars import read_shares
from spark_zorder.plot._sizes import file_sizes

__all__ = [
    "Extents",
    "curve",
    "depth_histogram",
    "extent_map",
    "extents",
    "extents_along",
    "file_sizes",
    "grid_example",
    "read_shares",
]
