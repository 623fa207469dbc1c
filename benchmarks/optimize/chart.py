# SPDX-License-Identifier: Apache-2.0

"""Draws the results: wall seconds, and shares read per point lookup.

python chart.py RESULTS CHART
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

# Started by its path, it has only its own folder to import from.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from optimize.report import groups
from optimize.summary import LEVELS
from optimize.systems import OURS

mpl.use("Agg")

import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

_OURS_COLOUR = "#1f5fa8"
_OTHER_COLOUR = "#b4b9c1"
# Shape, name, and a step up or down so that equal shares do not hide each other.
_LEVEL_MARKS = {"files": ("o", "files", -0.2), "row_groups": ("s", "row groups", 0.0), "pages": ("^", "pages", 0.2)}


def main() -> int:
    """Draws one line of two panels for each table and set of columns."""
    document = json.loads(Path(sys.argv[1]).read_text())
    drawn = [[result for result in results if not result["error"]] for results in groups(document)]
    drawn = [results for results in drawn if results]
    size = (12, 0.5 + sum(1.1 + 0.34 * len(results) for results in drawn))
    heights = [len(results) + 2 for results in drawn]
    figure, axes = plt.subplots(
        len(drawn), 2, figsize=size, squeeze=False, layout="constrained", gridspec_kw={"height_ratios": heights}
    )
    for (left, right), results in zip(axes, drawn, strict=True):
        _times(left, results)
        _shares(right, results)
    figure.savefig(sys.argv[2], dpi=130)
    return 0


def _times(axes: Axes, results: Sequence[dict[str, Any]]) -> None:
    seconds = [result["medians"]["wall_seconds"] for result in results]
    colours = [_OURS_COLOUR if result["system"] in OURS else _OTHER_COLOUR for result in results]
    bars = axes.barh(range(len(results)), seconds, color=colours)
    axes.bar_label(bars, fmt="%.1f", padding=3, fontsize=8)
    axes.set_yticks(range(len(results)), [result["label"] for result in results], fontsize=8)
    axes.set_ylim(len(results) - 0.4, -0.6)
    axes.margins(x=0.12)
    axes.set_title(_title(results), loc="left", fontsize=8, fontweight="bold")
    axes.set_xlabel("wall seconds, median", fontsize=8)
    _plain(axes)


def _shares(axes: Axes, results: Sequence[dict[str, Any]]) -> None:
    for level in LEVELS:
        mark, label, step = _LEVEL_MARKS[level]
        shares = [(r["mean_shares"][level], place + step) for place, r in enumerate(results)]
        known = [point for point in shares if point[0] is not None]
        axes.scatter([x for x, _ in known], [y for _, y in known], marker=mark, s=26, label=label, zorder=3)
    axes.set_yticks(range(len(results)), [])
    axes.set_ylim(len(results) - 0.4, -0.6)
    axes.set_xlim(0, 1.03)
    axes.grid(axis="y", color="#e6e8eb", zorder=0)
    axes.set_title("Share that a point lookup reads", loc="left", fontsize=8, fontweight="bold")
    axes.set_xlabel("mean of the columns; left is better", fontsize=8)
    axes.legend(fontsize=7, loc="lower right", ncols=3, bbox_to_anchor=(1, 1), frameon=False)
    _plain(axes)


def _title(results: Sequence[dict[str, Any]]) -> str:
    return f"{results[0]['dataset']} by\n{', '.join(results[0]['columns'])}"


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)


if __name__ == "__main__":
    sys.exit(main())
