# SPDX-License-Identifier: Apache-2.0

"""What the jar uses of Spark beyond its public interface, outside of shims: where a new Spark may break it.

`python tests/launch/internals.py` writes the list beside this file anew, from the installed jar.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from class_files import ClassPath

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("internals.txt")

_SPARK = "org/apache/spark/"
# Delta Lake's classes have their own versions; of the others users write programs.
_ALLOWED = re.compile(
    _SPARK + r"(?:sql/delta/.*|sql/(?:types|sources|connector|vectorized)/.*|(?:sql|broadcast|rdd|scheduler)/\w+|\w+)"
)
_PACKAGE = re.compile(r"^package ([\w.]+)", re.MULTILINE)
_TOP_LEVEL = re.compile(r"^(?:[\w\[\]]+ )*(?:class|trait|object|interface) (\w+)", re.MULTILINE)


def shims(root: Path = ROOT) -> frozenset[str]:
    """Names the classes of shims, with slashes, without what is nested in them."""
    return frozenset(
        f"{package[1].replace('.', '/')}/{name}"
        for source in (root / "jvm").glob("**/src/main/scala-shims/*/**/*")
        if source.suffix in {".scala", ".java"} and (package := _PACKAGE.search(text := source.read_text()))
        for name in _TOP_LEVEL.findall(text)
    )


def internals(jars: Sequence[Path], left_out: frozenset[str]) -> list[str]:
    """Names the classes of Spark's that are not public and that classes of `jars` use.

    Args:
        jars: ours.
        left_out: classes that are not looked at, with what is nested in them.
    """
    path = ClassPath(jars)
    found: set[str] = set()
    for name in path.names():
        if name.startswith(_SPARK) or name.split("$")[0] in left_out:
            continue
        used = path.find(name)
        assert used is not None
        found |= {_outer(c) for c in used.classes if _SPARK in c and c not in path}
    return sorted(name for name in found if name.startswith(_SPARK) and not _ALLOWED.fullmatch(name))


def _outer(name: str) -> str:
    """The class around a nested one, or that an array is of."""
    return name.lstrip("[").removeprefix("L" if name.startswith("[") else "").rstrip(";").split("$")[0]


if __name__ == "__main__":
    import spark_zorder

    LIST.write_text("".join(f"{name}\n" for name in internals([Path(spark_zorder.jar_path())], shims())))
