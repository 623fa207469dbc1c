# SPDX-License-Identifier: Apache-2.0

"""The tables that are clustered, and by which columns."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from common.places import DATA

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Dataset:
    """A table by its name, with its columns to cluster by, for each number of them."""

    name: str
    column_sets: dict[int, tuple[str, ...]]

    @property
    def clustered(self) -> list[str]:
        """Every column of a column set, once."""
        return sorted({column for columns in self.column_sets.values() for column in columns})


_ALL = (
    Dataset("events", {2: ("user_id", "item_id"), 4: ("user_id", "event_time", "country", "price")}),
    Dataset(
        "store_sales",
        {
            2: ("ss_item_sk", "ss_customer_sk"),
            4: ("ss_sold_date_sk", "ss_item_sk", "ss_customer_sk", "ss_ticket_number"),
        },
    ),
)

DATASETS = {dataset.name: dataset for dataset in _ALL}


@dataclass(frozen=True)
class Source:
    """A data set of some size on disk: the Delta table `table`, and facts about it."""

    dataset: Dataset
    folder: Path

    @property
    def table(self) -> Path:
        """The table to rewrite."""
        return self.folder / "table"

    @property
    def facts_file(self) -> Path:
        """The facts; written last, so that the file says that the data is complete."""
        return self.folder / "facts.json"

    def facts(self) -> dict[str, Any]:
        """Rows, bytes, files, names of columns, checksum, and values to look up by column."""
        facts: dict[str, Any] = json.loads(self.facts_file.read_text())
        return facts


def source(name: str, rows: int, scale: float, files: int) -> Source:
    """The data set of this size, built or not."""
    size = f"{rows}-rows" if name == "events" else f"scale-{scale:g}"
    return Source(DATASETS[name], DATA / f"{name}-{size}-{files}-files")
