# SPDX-License-Identifier: Apache-2.0

"""Examples of docstrings as code: their heading here is `Example:`, griffe's parser takes `Examples:` only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from griffe import Extension

if TYPE_CHECKING:
    from griffe import GriffeLoader, Object


class ExamplesAreCode(Extension):
    """Called by griffe with each object that it has loaded (its documentation: Extensions)."""

    def on_object(self, *, obj: Object, loader: GriffeLoader, **_: object) -> None:
        """Renames the section, before the docstring is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = obj.docstring.value.replace("\nExample:\n", "\nExamples:\n")
