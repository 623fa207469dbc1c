# SPDX-License-Identifier: Apache-2.0

"""The versions of this project and its peers."""

from __future__ import annotations

import platform
import re
import subprocess

from common.places import CODE, ROOT


def versions() -> dict[str, str]:
    """By name, in the order of the report."""
    ours = _pairs((ROOT / "project" / "versions.properties").read_text(), "=")
    pinned = _pairs((CODE / "requirements" / "delta-rs.txt").read_text(), "==")
    return {
        "spark-zorder": f"{ours['project']} ({_commit()})",
        "Spark": ours["spark"],
        "Delta Lake": ours["delta"],
        "Iceberg": f"{ours['bench.iceberg']} on Spark {ours['bench.iceberg.spark']}",
        "delta-rs": pinned["deltalake"],
        "TPC-DS generator": ours["bench.tpcds"],
        "Java": _java(),
        "Python": platform.python_version(),
    }


def _pairs(text: str, between: str) -> dict[str, str]:
    lines = [line.split(between, 1) for line in text.splitlines() if between in line and not line.startswith("#")]
    return {key.strip(): value.strip() for key, value in lines}


def _java() -> str:
    shown = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    found = re.search(r'version "([^"]+)"', shown)
    return found.group(1) if found else "unknown"


def _commit() -> str:
    """The commit, with a plus sign if the files differ from it."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--match="]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    return shown.stdout.strip() or "no commit"
