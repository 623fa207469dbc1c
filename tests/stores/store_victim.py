# SPDX-License-Identifier: Apache-2.0

"""A driver to be killed whose tables are in an object store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from victim import Victim

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from store import ObjectStore


class StoreVictim(Victim):
    """A driver to be killed whose store is another than local disks."""

    def __init__(self, folder: Path, statements: Sequence[str], store: ObjectStore) -> None:
        self._store = store
        super().__init__(folder, statements)

    def _conf(self, folder: Path) -> dict[str, str]:
        conf = super()._conf(folder) | self._store.conf()
        # The store's client on the class path, as Hadoop loads it by its name, and nothing that takes its buffers.
        path = [p for p in conf.pop("spark.driver.extraClassPath", "").split(os.pathsep) if p and "quick" not in p]
        ours = {key for key, value in conf.items() if "QuickDriver" in value or "QuickLocalFileSystem" in value}
        conf = {key: value for key, value in conf.items() if key not in ours}
        jars = conf["spark.jars"].split(",")
        # Who waits for others' statements waits as long as it takes.
        conf |= {"spark.sql.zorder.parquet.lockWait": "10m"}
        return conf | {"spark.driver.extraClassPath": os.pathsep.join([*path, *jars, *self._store.jars()])}
