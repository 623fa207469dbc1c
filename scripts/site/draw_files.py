# SPDX-License-Identifier: Apache-2.0

"""Drawings of files: what a query skips, depth, layers, the log of a Parquet table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from svg import DIM, INK, RULE, A, B, C, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def skipping() -> Sheet:
    """A table's files, a file's row groups, a row group's pages; the parts that a query reads are filled."""
    sheet = Sheet(760, 300, "A query skips files, then row groups of the files left, then pages of the row groups left")
    levels = (
        ("Files of the table", "bounds in Delta's log, or in the statistics index", 16, {5, 9}),
        ("Row groups of a file", "bounds in the file's footer", 4, {1, 2}),
        ("Pages of a row group", "bounds in its column index", 10, {3}),
    )
    for number, (name, note, parts, read) in enumerate(levels):
        top = 44 + 92 * number
        sheet.text(20, top - 12, name, kind="head")
        sheet.text(740, top - 12, note, kind="dim", anchor="end")
        width = 720 / parts
        for part in range(parts):
            fill, opacity = (A, 0.7) if part in read else (RULE, 0.18)
            sheet.rectangle(20 + part * width, top, width - 4, 40, fill=fill, opacity=opacity, stroke=RULE, radius=3)
        if number < 2:
            x = 20 + (max(read) + 0.5) * width - 2
            sheet.arrow((x, top + 42), (x, top + 70))
    sheet.rectangle(20, 278, 14, 14, fill=A, opacity=0.7)
    sheet.text(40, 290, "may hold a row that matches, and is read", kind="dim")
    sheet.rectangle(330, 278, 14, 14, fill=RULE, opacity=0.18, stroke=RULE)
    sheet.text(350, 290, "cannot, and is skipped", kind="dim")
    return sheet


# Ranges of eight files, in hundredths of the column's range.
_BEFORE = ((2, 97), (0, 95), (5, 99), (1, 92), (3, 100), (0, 98), (8, 96), (4, 93))
_AFTER = ((0, 24), (1, 25), (27, 50), (26, 49), (51, 75), (52, 74), (77, 100), (76, 99))
LOOKUP = 38


def depth() -> Sheet:
    """Ranges of a column in eight files, before and after; a lookup crosses those that hold its value."""
    sheet = Sheet(760, 322, "Ranges of a column in eight files, all overlapping before, two deep after")
    for number, (name, ranges) in enumerate((("Before", _BEFORE), ("After", _AFTER))):
        left, top = 20 + 380 * number, 44
        sheet.text(left, 24, name, kind="head")
        for row, (low, high) in enumerate(ranges):
            hit = low <= LOOKUP <= high
            sheet.rectangle(
                left + 3.4 * low,
                top + 24 * row,
                3.4 * (high - low),
                16,
                fill=A if hit else RULE,
                opacity=0.65,
                radius=3,
            )
        x = left + 3.4 * LOOKUP
        sheet.line([(x, top - 10), (x, top + 24 * 8 + 4)], stroke=B, width=2, dash="4 3")
        sheet.text(x, top + 24 * 8 + 22, "a point lookup", kind="dim", anchor="middle", fill=B)
        hits = sum(low <= LOOKUP <= high for low, high in ranges)
        depths = [max(sum(l <= v <= h for l, h in ranges) for v in range(low, high + 1)) for low, high in ranges]  # noqa: E741
        sheet.text(left, top + 24 * 8 + 52, f"reads {hits} of 8 files; average depth {sum(depths) / 8:.1f}")
    sheet.text(20, 312, "each bar: least to greatest value of the column in one file", kind="dim")
    return sheet


def layers() -> Sheet:
    """Three states of a table under incremental runs."""
    sheet = Sheet(760, 300, "An incremental run lays new files over clustered ones as a layer; a later run merges them")
    for number, (name, notes) in enumerate(
        (
            ("Clustered", ("16 files, a cell each",)),
            ("After an incremental run", ("16 files untouched,", "4 files of a layer over them")),
            ("After a later run", ("one region and its part of", "the layer merged: 4 + 1 files")),
        )
    ):
        left, top, side = 20 + 250 * number, 44, 200
        sheet.text(left, 24, name, kind="head")
        for x in range(4):
            for y in range(4):
                merged = number == 2 and x >= 2 and y < 2
                fill, opacity = (C, 0.45) if merged else (A, 0.25)
                sheet.rectangle(
                    left + x * 50 + 1, top + y * 50 + 1, 48, 48, fill=fill, opacity=opacity, stroke=RULE, radius=2
                )
        if number > 0:
            for x in range(2):
                for y in range(2):
                    if number == 2 and (x, y) == (1, 0):
                        continue
                    sheet.rectangle(
                        left + x * 100 + 7, top + y * 100 + 7, 86, 86, fill=B, opacity=0.22, stroke=B, line=2, radius=6
                    )
        sheet.lines(left, top + side + 22, notes)
    return sheet


def log() -> Sheet:
    """A rewrite of a plain Parquet table, step by step, and what readers see in the meantime."""
    sheet = Sheet(760, 296, "Steps of a rewrite of a Parquet table: stage, log entry, move, verdict, delete, close")
    steps: Sequence[tuple[str, Sequence[str]]] = (
        ("Stage", ("new files in", "_zorder/staging")),
        ("Log entry", ("claims a number,", "old and new files")),
        ("Move in", ("new files beside", "the old ones")),
        ("Verdict", ("moved or left,", "for each folder")),
        ("Delete", ("the files that", "do not belong")),
        ("Close", ("the entry is done,", "index refreshed")),
    )
    pitch, width, top = 124, 112, 36
    for number, (name, notes) in enumerate(steps):
        x = 14 + number * pitch
        colour = B if name in ("Log entry", "Verdict") else RULE
        sheet.rectangle(x, top, width, 80, fill=colour, opacity=0.15, stroke=colour, line=1.5, radius=6)
        sheet.text(x + width / 2, top + 24, name, kind="head", anchor="middle")
        sheet.lines(x + width / 2, top + 48, notes, anchor="middle")
        if number < len(steps) - 1:
            sheet.arrow((x + width + 1, top + 40), (x + pitch - 1, top + 40))
    sheet.text(14, 20, "orange: created exclusively, so that of all processes one wins", kind="dim", fill=B)
    verdict = 14 + 3 * pitch + width / 2
    end = 14 + 5 * pitch + width
    sheet.line([(verdict, top + 80), (verdict, 282)], stroke=B, width=1.5, dash="4 3")
    sheet.text(14, 150, "What readers see", kind="head")
    moved, deleted = 14 + 2 * pitch, 14 + 5 * pitch
    bars = (
        (164, "with the extension: old files", A, 14, verdict - 4),
        (164, "with the extension: new files", C, verdict + 4, end),
        (208, "without it: old files", A, 14, moved - 4),
        (208, "without it: both, so rows twice", DIM, moved + 2, deleted - 4),
        (208, "new files", C, deleted + 2, end),
    )
    for y, words, colour, start, stop in bars:
        sheet.rectangle(start, y, stop - start, 34, fill=colour, opacity=0.25, radius=4)
        sheet.text((start + stop) / 2, y + 22, words, kind="dim", anchor="middle", fill=INK)
    sheet.text(verdict - 10, 274, "any process may take it back", kind="dim", anchor="end")
    sheet.text(verdict + 10, 274, "any process can finish it", kind="dim")
    return sheet


DRAWINGS: dict[str, Callable[[], Sheet]] = {"skipping": skipping, "depth": depth, "layers": layers, "log": log}
