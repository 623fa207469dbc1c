# SPDX-License-Identifier: Apache-2.0

"""The systems, in the order in which they run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class System:
    """A way to rewrite a table.

    Attributes:
        name: what `--systems` and the results call it.
        label: what the report calls it.
        module: the module in `runners` that runs it.
        environment: the key of `places.PYTHON` of the interpreter that it needs.
    """

    name: str
    label: str
    module: str
    environment: str


_ALL = (
    System("ours-zorder", "spark-zorder, z-order", "ours", "zorder"),
    System("ours-hilbert", "spark-zorder, Hilbert", "ours", "zorder"),
    System("delta-zorder", "Delta OPTIMIZE ZORDER BY", "delta", "zorder"),
    System("delta-liquid", "Delta liquid clustering", "delta", "zorder"),
    System("ours-iceberg", "spark-zorder, z-order, on Iceberg", "iceberg", "iceberg"),
    System("iceberg-zorder", "Iceberg rewrite_data_files, zorder", "iceberg", "iceberg"),
    System("iceberg-hilbert", "Iceberg rewrite_data_files, Hilbert", "iceberg", "iceberg"),
    System("delta-rs-zorder", "delta-rs optimize.z_order", "delta_rs", "delta-rs"),
    System("copy", "read + write", "copies", "zorder"),
    System("copy-encoder", "read + write, by our encoder", "copies", "zorder"),
    System("repartition", "read + repartition(n) + write", "copies", "zorder"),
    System("range-partition", "read + repartitionByRange + write", "copies", "zorder"),
)

SYSTEMS = {system.name: system for system in _ALL}
OURS = ("ours-zorder", "ours-hilbert", "ours-iceberg")
