# SPDX-License-Identifier: Apache-2.0

"""The page of a report, from a template that escapes whatever tables and columns are called."""

from __future__ import annotations

import base64
import gzip
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING

from spark_zorder._report._figures import (
    column_figures,
    example_figure,
    grid_figure,
    map_figure,
    share_figure,
    size_figure,
)
from spark_zorder._report._summary import facts_of, headline, lights_of, verdicts_of
from spark_zorder._versions import versions
from spark_zorder.plot._style import needed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from spark_zorder._report._advice import Advice
    from spark_zorder._report._example import Example
    from spark_zorder.plot._states import State


def page(states: Sequence[State], example: Example | str, advice: Advice, title: str, written: datetime) -> str:
    """Returns the text of the page.

    Args:
        states: one state, or one before and one after.
        example: a query to begin with, or why there is none.
        advice: what `ADVISE LAYOUT` says.
        title: the heading.
        written: the time to print.
    """
    jinja2 = needed("jinja2")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Letters of any script stand in figures as they are, not as six characters each.
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "sort_keys": True}
    now = states[-1].extents
    scripts = [_plotly(), _file("script.js")]
    measures = [state.extents.measure(column) for state in states for column in now.columns]
    text: str = environment.get_template("page.html.j2").render(
        title=title,
        table=now.name,
        written=written,
        version=versions()["project"],
        compares=len(states) > 1,
        example=None if isinstance(example, str) else example,
        no_example=example,
        query=None if isinstance(example, str) else example_figure(example),
        lights=lights_of(states),
        headline=headline(states),
        facts=facts_of(states),
        verdicts=verdicts_of(states),
        estimated=any(measure.is_estimated for measure in measures),
        shares=share_figure(states),
        map=map_figure(states),
        columns=[(column, column_figures(states, i, column)) for i, column in enumerate(now.columns)],
        sizes=size_figure(states),
        grid=grid_figure(),
        advice=advice,
        style=_file("style.css"),
        scripts=scripts,
        # Nothing is loaded from anywhere, and no script runs but these.
        policy="default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src "
        + " ".join(_hash(script) for script in scripts),
    )
    return text


def _file(name: str) -> str:
    return files("spark_zorder._report").joinpath(name).read_text(encoding="utf-8")


def _plotly() -> str:
    packed = files("spark_zorder.plot").joinpath("data").joinpath("plotly-basic.min.js.gz").read_bytes()
    # The end of a script element must not stand inside one.
    return gzip.decompress(packed).decode("utf-8").replace("</script", "<\\/script")


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
