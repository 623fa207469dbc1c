# SPDX-License-Identifier: Apache-2.0

"""What docs/notebooks.md says of a notebook as a page, on the page that nbconvert makes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook

from launching import ROOT
from tutorial import environment

if TYPE_CHECKING:
    from pathlib import Path

USE = """
from spark_zorder import plot
spark.range(1000).selectExpr("id", "id % 10 AS x").repartition(4).write.format("delta").save("t")
plot.extents_along(ZOrderTable.forPath(spark, "t"), column="id").show()
spark.conf.get("spark.ui.showConsoleProgress")
"""


def block(containing: str) -> str:
    """The block of Python of docs/notebooks.md with these words."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "notebooks.md").read_text(), re.DOTALL)
    (found,) = [text for text in blocks if containing in text]
    return found


@pytest.mark.nightly
def test_an_exported_page_has_the_figures_and_no_lines_of_stages(tmp_path: Path) -> None:
    cells = [block("renderers.default"), block("configure_spark_with_zorder(SparkSession.builder, delta=True)"), USE]
    notebook = new_notebook(cells=[new_code_cell(text) for text in cells])
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )

    client.execute(env=environment(("spark.ui.enabled",)))
    page, _ = HTMLExporter().from_notebook_node(notebook)

    # Plotly's script, and one figure that it draws, with its bars.
    assert len(re.findall(r"Plotly\.newPlot\(\s*[\"']", page)) == 1
    assert "Files of" in page
    assert "[Stage" not in page
    assert "false" in notebook.cells[-1].outputs[-1].data["text/plain"]
