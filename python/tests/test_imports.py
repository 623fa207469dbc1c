# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import spark_zorder

FOLDER = Path(spark_zorder.__file__).parent


def name_of(file: Path) -> str:
    return ".".join([FOLDER.name, *file.relative_to(FOLDER).with_suffix("").parts]).removesuffix(".__init__")


MODULES = {name_of(file): file for file in FOLDER.rglob("*.py")}


def imported(module: str) -> set[str]:
    """What a module imports of the package anywhere in it: in functions and for types, too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are not followed here"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in MODULES else str(node.module) for name in names}
    return {part for name in found & MODULES.keys() for part in with_packages(name)} - {*with_packages(module)}


def with_packages(module: str) -> list[str]:
    """A module and the packages around it, whose `__init__` runs before it."""
    parts = module.split(".")
    return [".".join(parts[: i + 1]) for i in range(len(parts))]


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert {"spark_zorder.table", "spark_zorder.plot._map", "spark_zorder._layout.extents"} <= MODULES.keys()
    assert "spark_zorder._layout.extents" in imported("spark_zorder.plot._map")
    # A circle is an error of graphlib, which names the modules in it.
    TopologicalSorter({module: imported(module) for module in MODULES}).prepare()
