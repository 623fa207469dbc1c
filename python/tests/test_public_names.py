# SPDX-License-Identifier: Apache-2.0

"""What the last release had is still there: names of the API, settings, conditions, commands, and the stored forms."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.public_names import RELEASED, public_names

THEN: dict[str, Any] = json.loads(RELEASED.read_text())
# Names that a release had and this one has not, each with the line of CHANGELOG.md that says what to use in its place.
REMOVED: dict[str, str] = {
    "ZORDER_NO_COMPACTION 0A000": "executeCompaction() of the package runs OPTIMIZE without ZORDER BY",
}


def parts(name: str) -> tuple[str, list[str]]:
    """A function's name and its parameters."""
    before, _, rest = name.partition("(")
    return before, [parameter.strip() for parameter in rest.rstrip(")").split(",") if parameter.strip()]


@pytest.mark.parametrize("kind", [kind for kind in THEN if kind not in ("python", "stored")])
def test_names_stay(kind: str) -> None:
    assert sorted(set(THEN[kind]) - set(public_names()[kind]) - set(REMOVED)) == []


def test_python_functions_keep_their_parameters() -> None:
    now = dict(parts(name) for name in public_names()["python"])
    for name, parameters in map(parts, THEN["python"]):
        if name not in REMOVED:
            assert name in now, f"{name} is gone"
            # By place: new ones come behind, as do those by keyword.
            assert [p for p in now[name] if p in parameters] == parameters, name


def test_stored_forms_do_not_go_back() -> None:
    now = public_names()["stored"]
    for name, form in THEN["stored"].items():
        assert now[name] == form or (form.isdigit() and int(now[name]) > int(form)), name
