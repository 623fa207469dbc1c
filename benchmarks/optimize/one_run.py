# SPDX-License-Identifier: Apache-2.0

"""One system on one table by one set of columns: measured in one process, inspected in another."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from common.children import ChildError, run_child
from common.places import WORK
from optimize.event_log import spark_work
from optimize.spec import Spec
from optimize.summary import mean_shares, medians, same_rows
from optimize.systems import SYSTEMS

if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path

    from optimize.datasets import Source


def one_run(system: str, source: Source, columns: tuple[str, ...], flags: Namespace) -> dict[str, Any]:
    """Measures one system.

    Returns:
        `first` with the times of the first round, `rounds`, their `medians`, `shares` by column and `mean_shares`,
        `checksum`, `same_rows` (None if that could not be told), `versions`, and `error`, None if nothing failed.
    """
    work = WORK / f"{source.dataset.name}-{len(columns)}-{system}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    spec = Spec(
        system,
        str(source.table),
        list(columns),
        flags.files,
        flags.rounds,
        flags.memory,
        str(work),
    )
    measured = _measured(spec, source, work, flags)
    result = {
        "dataset": source.dataset.name,
        "columns": list(columns),
        "system": system,
        "label": SYSTEMS[system].label,
        "shares": {},
        "checksum": None,
        "same_rows": None,
    } | measured
    result["medians"] = medians(result["rounds"])
    result["mean_shares"] = mean_shares(result["shares"])
    if result["checksum"] is not None:
        result["same_rows"] = same_rows(result, source.facts())
    _remove_tables(work)
    return result


def _measured(spec: Spec, source: Source, work: Path, flags: Namespace) -> dict[str, Any]:
    spec.save(work / "spec.json")
    raw = work / "result.json"
    try:
        arguments: list[object] = [work / "spec.json", raw]
        run_child(SYSTEMS[spec.system].environment, "optimize/worker.py", arguments, work / "worker.log", flags.timeout)
        arguments = [source.facts_file, ",".join(spec.columns), raw]
        shutil.rmtree(work / "inspect", ignore_errors=True)
        run_child("zorder", "optimize/inspect_files.py", arguments, work / "inspect.log", flags.timeout)
    except ChildError as failure:
        result: dict[str, Any] = {"first": None, "rounds": [], "versions": {}, "error": None}
        with suppress(OSError, ValueError):
            result = json.loads(raw.read_text())
        return result | {"rounds": [], "error": result["error"] or str(failure)}
    found: dict[str, Any] = json.loads(raw.read_text())
    for measured in found["rounds"]:
        work_done = spark_work(work / "events", measured.pop("began"), measured.pop("ended"))
        measured["jobs"] = work_done.jobs if work_done else None
        measured["shuffle_bytes"] = work_done.shuffle_bytes if work_done else None
    return found


def _remove_tables(work: Path) -> None:
    """Keeps logs and results."""
    for folder in work.iterdir():
        if folder.is_dir() and folder.name != "events":
            shutil.rmtree(folder)
