# SPDX-License-Identifier: Apache-2.0

"""Where files of the repository stand in the site, and the links between them."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]

# Pages of the site that stand outside of docs/, and their pictures. README.md would be the home page by its name.
PAGES = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "benchmarks/README.md",
    "benchmarks/results/README.md",
    "benchmarks/results/rounds.md",
    "benchmarks/results/skipping.md",
    "benchmarks/results/queries.md",
    "benchmarks/results/sorting.md",
    "benchmarks/results/store_sales/README.md",
    "python/README.md",
    "tests/README.md",
)
PICTURES = ("benchmarks/results/chart.png", "benchmarks/results/store_sales/chart.png")
_RENAMED = {"README.md": "overview.md"}

_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<=\]\()(?!\w+:|#|/)([^)\s#]+)(#[^)\s]*)?(?=\))")
_SOURCES = "source"
_LANGUAGES = {".sql": "sql", ".py": "python", ".scala": "scala", ".json": "json", ".txt": "text", ".toml": "toml"}


def site_path(path: str) -> str:
    """The place in the site's sources of a file of the repository that is a page or a picture of it."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return _RENAMED.get(path, path)


def repository_path(uri: str) -> str:
    """The reverse of `site_path`."""
    renamed = {new: old for old, new in _RENAMED.items()}
    path = renamed.get(uri, uri)
    return path if path in PAGES else f"docs/{path}"


def source_page(path: str) -> str:
    """The page that shows a source file, or lists a folder."""
    return f"{_SOURCES}/{path}.md"


def with_site_links(markdown: str, page: str, missing: Callable[[str], None]) -> str:
    """Rewrites links between files of the repository into links between pages of the site.

    Args:
        markdown: a page's text.
        page: its path in the repository.
        missing: called with each link whose target is not in the repository.
    """
    here = posixpath.dirname(site_path(page))

    def target(link: re.Match[str]) -> str:
        path = _target(page, link)
        if path in PAGES or path in PICTURES or path.startswith("docs/"):
            found = site_path(path)
        elif (ROOT / path).exists() and not path.startswith(".."):
            found = source_page(path)
        else:
            missing(link[0])
            return link[0]
        return posixpath.relpath(found, here or ".") + (link[2] or "")

    return _outside_of_code(markdown, lambda text: _LINK.sub(target, text))


def sources_linked(markdown: str, page: str) -> set[str]:
    """Source files and folders, neither pages nor pictures, to which a page links: paths in the repository."""
    found: set[str] = set()

    def note(link: re.Match[str]) -> str:
        path = _target(page, link)
        if (
            path not in PAGES
            and path not in PICTURES
            and not path.startswith(("docs/", ".."))
            and (ROOT / path).exists()
        ):
            found.add(path)
        return link[0]

    _outside_of_code(markdown, lambda text: _LINK.sub(note, text))
    return found


def _target(page: str, link: re.Match[str]) -> str:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[1]))
    # A folder is its README, as where the repository is browsed.
    return f"{path}/README.md" if f"{path}/README.md" in PAGES else path


def _outside_of_code(markdown: str, change: Callable[[str], str]) -> str:
    parts, end = [], 0
    for fence in _FENCE.finditer(markdown):
        parts += [change(markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(markdown[end:])])


def sources_in(folder: str) -> list[str]:
    """Names of the folder's text files."""
    return sorted(entry.name for entry in (ROOT / folder).iterdir() if entry.suffix in _LANGUAGES)


def source_markdown(path: str) -> str:
    """A page that shows a source file, or lists a folder's files."""
    file = ROOT / path
    if file.is_dir():
        lines = [f"- [{name}]({file.name}/{name}.md)" for name in sources_in(path)]
        return f"# {path}\n\n" + "\n".join(lines) + "\n"
    fence = "`" * 4
    return f"# {path}\n\n{fence}{_LANGUAGES.get(file.suffix, 'text')}\n{file.read_text()}\n{fence}\n"
