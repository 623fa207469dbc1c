# SPDX-License-Identifier: Apache-2.0

"""What `mkdocs build` does beside its own work; it calls the functions by their names (its documentation: Hooks)."""

from __future__ import annotations

import logging
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

import figures
import repository

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

# Strict builds fail on warnings of mkdocs' own loggers.
_LOG = logging.getLogger("mkdocs.hooks.spark-zorder")
_MERMAID = "assets/mermaid.min.js"
_WORKER = "assets/worker-from-disk.js"
_GRAPH = re.compile(r'<pre class="mermaid">.*?</pre>', re.DOTALL)
_SHIM = re.compile(r"https://[^\"]*/iframe-worker/shim")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds pages that stand outside of docs/, the sources that pages link to, and mermaid.js."""
    for path in (*repository.PAGES, *repository.PICTURES):
        files.append(File.generated(config, repository.site_path(path), abs_src_path=str(repository.ROOT / path)))
    wanted = {source for file in files.documentation_pages() for source in _sources(file)}
    for source in sorted(wanted):
        _add_source(files, config, source)
    files.append(File.generated(config, _MERMAID, abs_src_path=str(_mermaid())))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links to files of the repository into links to pages."""
    if page.file.src_uri.startswith("source/"):
        return markdown
    path = repository.repository_path(page.file.src_uri)
    return repository.with_site_links(
        markdown, path, lambda link: _LOG.warning("%s links to %s, which is not in the repository", path, link)
    )


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Puts drawings into the page, so that they take its colours."""
    folder = Path(config.docs_dir)
    return figures.inlined(
        _GRAPH.sub(r'<div class="graph" tabindex="0">\g<0></div>', html),
        (folder / page.file.src_uri).parent,
        lambda text: _LOG.warning("%s: %s", page.file.src_uri, text),
    )


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Loads mermaid.js, before the theme would look for it in the network, on the pages that need it."""
    if '<pre class="mermaid">' not in output:
        return output
    up = "../" * page.url.count("/")
    return output.replace("</head>", f'<script src="{up}{_MERMAID}"></script></head>', 1)


@event_priority(-200)
def on_post_build(config: MkDocsConfig) -> None:
    """Takes the last address of a network out: `offline` lets pages load a stand-in for workers from there."""
    site = Path(config.site_dir)
    for page in site.rglob("*.html"):
        text = page.read_text()
        up = "../" * (len(page.relative_to(site).parts) - 1)
        page.write_text(_SHIM.sub(f"{up}{_WORKER}", text))


def _sources(file: File) -> set[str]:
    return repository.sources_linked(file.content_string, repository.repository_path(file.src_uri))


def _add_source(files: Files, config: MkDocsConfig, path: str) -> None:
    uri = repository.source_page(path)
    if files.get_file_from_path(uri) is not None:
        return
    page = File.generated(config, uri, content=repository.source_markdown(path))
    page.inclusion = page.inclusion.NOT_IN_NAV
    files.append(page)
    if (repository.ROOT / path).is_dir():
        for name in repository.sources_in(path):
            _add_source(files, config, f"{path}/{name}")


def _mermaid() -> Path:
    spec = find_spec("mmdc")
    found = [] if spec is None else sorted(Path(spec.submodule_search_locations[0]).rglob("mermaid.js"))
    if not found:
        raise FileNotFoundError("no mermaid.js in the package mmdc; build the site by `make docs`")
    return found[0]
