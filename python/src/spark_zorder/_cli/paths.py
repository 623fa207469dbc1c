# SPDX-License-Identifier: Apache-2.0

"""The table that paths mean which a shell has made of a pattern: `data/t/*.parquet`, `data/t/*`."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PATTERN = "*?["


def one_table(words: Sequence[str]) -> str:
    """Returns the table that words on a command line mean together.

    One word is taken as it is, unless it is a file or a pattern. Files and folders of partitions are their table's,
    where they are all of it.

    Raises:
        ValueError: they mean no table, a part of one or several; the text says what to name.

    Example:
        >>> one_table(["db.t"])
        'db.t'
    """
    found = [text for word in words for text in _expanded(word)]
    paths = [Path(text) for text in found]
    if len(paths) == 1 and not paths[0].is_file():
        return found[0]
    for path in paths:
        if not path.exists():
            raise ValueError(f"{str(path)!r} is no file or folder; name one table by its folder, or as db.t")
    shown = [path for path in paths if _is_visible(path.name)]
    roots = sorted({_root(path) for path in shown})
    if not roots:
        raise ValueError("none of these is a data file; name the table's folder")
    if len(roots) > 1:
        names = ", ".join(map(str, roots[:3])) + (", ..." if len(roots) > 3 else "")
        raise ValueError(f"these are {len(roots)} tables ({names}); name one of them")
    root = roots[0]
    missing = _outside(root, {path.absolute() for path in shown})
    if missing is not None:
        raise ValueError(
            f"the table in {root} has further files, such as {missing}; name the folder, and partitions by --where"
        )
    return str(root)


def _is_pattern(word: str) -> bool:
    return any(sign in word for sign in _PATTERN) and "`" not in word and "://" not in word and not Path(word).exists()


def _expanded(word: str) -> Iterable[str]:
    """What a shell would have made of a word that stood in quotes."""
    if not _is_pattern(word) or not ("/" in word or word[-1] == "*"):
        return [word]
    found = sorted(glob.glob(word))  # noqa: PTH207 - a text that is relative stays so
    if not found:
        raise ValueError(f"nothing matches {word!r}; name the table's folder")
    return found


def _is_visible(name: str) -> bool:
    """Whether Spark takes a name for one of a data file or partition."""
    return name[:1] not in "._" or (name[:1] == "_" and "=" in name)


def _root(path: Path) -> Path:
    """The table's folder: above a file, and above folders that are called as partitions are."""
    folder = path.parent if path.is_file() else path
    while "=" in folder.name:
        folder = folder.parent
    return folder


def _outside(root: Path, named: set[Path]) -> Path | None:
    """A data file of the table that is none of the named files and in none of the named folders."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if _is_visible(name))
        for name in filter(_is_visible, sorted(files)):
            file = Path(folder, name).absolute()
            if not named & {file, *file.parents}:
                return file.relative_to(root.absolute())
    return None
