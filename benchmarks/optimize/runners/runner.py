# SPDX-License-Identifier: Apache-2.0

"""What the measured process asks of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Runner(Protocol):
    """A system that has been started.

    Attributes:
        calibrates: whether the first round is to find the file size that makes as many files as asked.
    """

    calibrates: bool

    def versions(self) -> dict[str, str]:
        """The versions of its parts."""

    def prepare(self, source: Path, target: Path, files: int, file_bytes: int) -> Callable[[], object]:
        """Makes a copy of a table.

        Args:
            source: a Delta table.
            target: the folder to put the copy into; does not exist yet.
            files: how many files to make of it.
            file_bytes: the size of a file to ask for.

        Returns:
            The statement to time.
        """

    def live_files(self, target: Path) -> list[Path]:
        """The data files of the rewritten table."""

    def collect_garbage(self) -> None:
        """Frees memory before the statement is timed."""

    def close(self) -> None:
        """Ends it."""
