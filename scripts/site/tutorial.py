# SPDX-License-Identifier: Apache-2.0

"""The tutorial: one page, of which the notebook is made; `make tutorial` runs it and writes down what it shows.

Blocks of Python in docs/tutorial.md are cells of the notebook; the text behind `<!-- shows -->` is what a cell shows.
All other parts of the page are cells of text.
"""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from spark_zorder import jar_path

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"
FIGURES = Path(__file__).with_name("data")

_PART = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n<!-- shows -->\n```text\n(?P<shows>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
_NOTEBOOK_HERE = "The same as a notebook:\n[tutorial.ipynb](tutorial.ipynb)."
_PAGE_THERE = "The same as a page: [tutorial.md](tutorial.md)."
# Bounds of files before and after, for the pictures: what the notebook's own cells hold in variables.
_EXTENTS = """
import json
from pathlib import Path
for name, rows in (("before", before), ("after", after)):
    files = {}
    for row in rows:
        files.setdefault(row["file"], {})[row["column"]] = [float(row["min"]), float(row["max"])]
    Path(f"flights-{name}.json").write_text(json.dumps(sorted(files.values(), key=str)))
"""


@dataclass(frozen=True)
class Cell:
    """A part of the page: text, or code with what it shows (None where the page shows nothing)."""

    text: str
    is_code: bool
    shows: str | None = None


def cells(page: str) -> list[Cell]:
    """The parts of a page, from top to bottom."""
    found, end = [], 0
    for part in _PART.finditer(page):
        found.append(Cell(page[end : part.start()].strip("\n"), is_code=False))
        found.append(Cell(part["code"].rstrip("\n"), is_code=True, shows=part["shows"]))
        end = part.end()
    found.append(Cell(page[end:].strip("\n"), is_code=False))
    return [cell for cell in found if cell.text]


def page_of(parts: Sequence[Cell]) -> str:
    """The reverse of `cells`."""
    texts = []
    for cell in parts:
        text = f"```python\n{cell.text}\n```" if cell.is_code else cell.text
        if cell.shows is not None:
            text += f"\n\n<!-- shows -->\n```text\n{cell.shows}```"
        texts.append(text)
    return "\n\n".join(texts) + "\n"


def notebook_of(parts: Sequence[Cell]) -> nbformat.NotebookNode:
    """The notebook, with what its cells are said to show."""
    made = []
    for number, cell in enumerate(parts):
        # A cell's id is its number, so that the file changes with the page only.
        if not cell.is_code:
            made.append(new_markdown_cell(_for_notebook(cell.text), id=f"cell-{number}"))
            continue
        outputs = [new_output("stream", name="stdout", text=cell.shows)] if cell.shows else []
        made.append(new_code_cell(cell.text, id=f"cell-{number}", outputs=outputs))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new_notebook(cells=made, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def _for_notebook(text: str) -> str:
    # The page links to its notebook; the notebook, to the page.
    return text.replace(_NOTEBOOK_HERE, _PAGE_THERE)


def run(parts: Sequence[Cell], folder: Path, *, extents: bool = False) -> list[Cell]:
    """Runs the notebook in a kernel of its own.

    Args:
        parts: the cells.
        folder: where the tutorial's tables and files go.
        extents: also write the bounds of the files into flights-before.json and flights-after.json there.

    Returns:
        The cells with what they showed.

    Raises:
        CellExecutionError: a cell failed.
    """
    notebook = notebook_of(parts)
    if extents:
        notebook.cells.insert(-2, new_code_cell(_EXTENTS, id="extents"))
    client = NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute(env=_environment())
    shown = {cell.id: _stdout(cell) for cell in notebook.cells if cell.cell_type == "code"}
    return [
        replace(cell, shows=shown[f"cell-{number}"]) if cell.is_code and cell.shows is not None else cell
        for number, cell in enumerate(parts)
    ]


def _environment() -> dict[str, str]:
    """Delta's jars are those of `make .build/delta`, so that nothing is downloaded; Spark shows no bars."""
    jars = [jar_path(), *(str(jar) for jar in sorted((ROOT / ".build" / "delta-jars").glob("*.jar")))]
    off = ("spark.ui.enabled", "spark.ui.showConsoleProgress")
    conf = {**dict.fromkeys(off, "false"), "spark.log.level": "ERROR", "spark.sql.zorder.progress": "off"}
    settings = [f"--conf {key}={value}" for key, value in conf.items()]
    submit = " ".join([f"--jars {','.join(jars)}", "--driver-memory 2g", *settings, "pyspark-shell"])
    return {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_SUBMIT_ARGS": submit}


def _stdout(cell: nbformat.NotebookNode) -> str:
    text = "".join(out.text for out in cell.outputs if out.output_type == "stream" and out.name == "stdout")
    # `show` ends with an empty line.
    return re.sub(r"\n\n+", "\n\n", text).rstrip("\n") + "\n" if text.strip() else ""


def write_notebook() -> None:
    """Makes docs/tutorial.ipynb of docs/tutorial.md."""
    nbformat.write(notebook_of(cells(PAGE.read_text())), NOTEBOOK)


def main() -> int:
    """Runs the tutorial, and writes what it shows into the page, the notebook and the data of the pictures."""
    with TemporaryDirectory() as folder:
        PAGE.write_text(page_of(run(cells(PAGE.read_text()), Path(folder), extents=True)))
        for name in ("before", "after"):
            rows = json.loads(Path(folder, f"flights-{name}.json").read_text())
            lines = ",\n".join(json.dumps(row, sort_keys=True) for row in rows)
            (FIGURES / f"flights-{name}.json").write_text(f"[\n{lines}\n]\n")
    write_notebook()
    return 0


if __name__ == "__main__":
    sys.exit(main())
