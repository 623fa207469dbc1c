# SPDX-License-Identifier: Apache-2.0

"""The tutorial: one page, of which the notebook is made; `make tutorial` runs it and writes down what it shows.

Blocks of Python in docs/tutorial.md are cells of the notebook; the text behind `<!-- shows -->` is what a cell shows.
All other parts of the page are cells of text.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from plotly_svg import draw
from spark_zorder import jar_path

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"

_PART = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n<!-- shows -->\n```text\n(?P<shows>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
_NOTEBOOK_HERE = "The same as a notebook:\n[tutorial.ipynb](tutorial.ipynb)."
_PAGE_THERE = "The same as a page: [tutorial.md](tutorial.md)."
# The picture below a cell that shows a figure.
_PICTURE = re.compile(r"^!\[[^\]]*\]\(images/(?P<name>[^)]+)\.svg\)")
_FIGURE = "application/vnd.plotly.v1+json"


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


def execute(parts: Sequence[Cell], folder: Path) -> nbformat.NotebookNode:
    """Runs the notebook in a kernel of its own, and returns it with what its cells showed.

    Args:
        parts: the cells.
        folder: where the tutorial's tables and files go.

    Raises:
        CellExecutionError: a cell failed.
    """
    notebook = notebook_of(parts)
    client = NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute(env=environment())
    return notebook


def texts_of(parts: Sequence[Cell], executed: nbformat.NotebookNode) -> list[Cell]:
    """The cells with the texts that they showed, where the page has one."""
    return [
        replace(cell, shows=_stdout(there)) if cell.is_code and cell.shows is not None else cell
        for cell, there in zip(parts, executed.cells, strict=True)
    ]


def figures_of(parts: Sequence[Cell], executed: nbformat.NotebookNode) -> dict[str, dict[str, Any]]:
    """The figures that cells showed, as plotly's JSON, by the names of the pictures that stand below them."""
    found = {}
    for there, below in zip(executed.cells, parts[1:], strict=False):
        picture = _PICTURE.match(below.text)
        if picture and there.cell_type == "code":
            found[picture["name"]] = next(out.data[_FIGURE] for out in there.outputs if _FIGURE in out.get("data", {}))
    return found


def environment(off: Sequence[str] = ("spark.ui.enabled", "spark.ui.showConsoleProgress")) -> dict[str, str]:
    """What a kernel is started with: Delta's jars of `make .build/delta`, so that nothing is downloaded.

    Args:
        off: settings that are false; by default Spark shows no bars.
    """
    jars = [jar_path(), *(str(jar) for jar in sorted((ROOT / ".build" / "delta-jars").glob("*.jar")))]
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
    """Runs the tutorial, and writes what it shows into the page, the notebook and the pictures."""
    parts = cells(PAGE.read_text())
    with TemporaryDirectory() as folder:
        executed = execute(parts, Path(folder))
    PAGE.write_text(page_of(texts_of(parts, executed)))
    write_notebook()
    draw(figures_of(parts, executed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
