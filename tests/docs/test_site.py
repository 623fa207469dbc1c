# SPDX-License-Identifier: Apache-2.0

"""`make docs`: the strict build passes, and fails on a broken link; nothing in the site comes from a network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from launching import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.daily

MKDOCS = ROOT / ".build" / "docs" / "bin" / "mkdocs"
ENVIRONMENT = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Builds the site; not with `--quiet`, which keeps `strict` from counting warnings."""
    command = [str(MKDOCS), "build", "--site-dir", str(site), "--config-file", str(root / "mkdocs.yml")]
    return subprocess.run(command, cwd=root, env=ENVIRONMENT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert MKDOCS.exists(), "run `make .build/docs/complete`"
    folder = tmp_path_factory.mktemp("site") / "site"
    done = build(ROOT, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_of_docs_is_in_the_site(site: Path) -> None:
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")}

    assert pages <= {page.stem for page in site.glob("*.html")}


def test_nothing_is_loaded_from_a_network(site: Path) -> None:
    loads = re.compile(
        r'(?:<(?:script|img|iframe|source)\b[^>]*\bsrc|<link\b[^>]*rel="stylesheet"[^>]*href)="?(https?:[^"\s>]+)'
    )
    found = {(page.name, url) for page in site.rglob("*.html") for url in loads.findall(page.read_text())}

    assert found == set()


def test_drawings_are_in_the_page_and_labelled(site: Path) -> None:
    html = (site / "concepts.html").read_text()

    assert html.count('<svg role="img" aria-label="') == 8
    assert "<img" not in re.sub(r"<img[^>]*alt=\"[^\"]+\"[^>]*>", "", html)


def test_python_is_made_of_docstrings(site: Path) -> None:
    html = (site / "python.html").read_text()

    for name in (
        "ZOrderTable",
        "executeZOrderBy",
        "explain_skipping",
        "require_extension",
        "zorder_key",
        "ZOrderSessionError",
    ):
        assert re.search(rf'id="spark_zorder\.[\w.]*{name}"', html), name
    # Examples are code, not quotations.
    assert "<blockquote>" not in html
    assert "doctest: +SKIP" not in html


BROKEN = {
    "[a page](no-such-page.md)": "no-such-page.md",
    "[an anchor](reference.md#no-such-anchor)": "no-such-anchor",
    "[a source](../jvm/no-such-file.scala)": "not in the repository",
    "![](images/depth.svg)": "no alternative text",
}


def test_what_is_broken_fails_the_build(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file() and not ("/src/test/" in name or name.startswith("tests/faults")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    with (root / "docs" / "concepts.md").open("a") as page:
        page.write("\n\n" + "\n\n".join(BROKEN))

    done = build(root, tmp_path / "site")

    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert [complaint for complaint in BROKEN.values() if complaint not in said] == [], said
    assert "Aborted with 5 warnings" in said
