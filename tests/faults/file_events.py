# SPDX-License-Identifier: Apache-2.0

"""What happens in folders, as the kernel tells it (inotify): soon enough to kill a process within its commit."""

from __future__ import annotations

import ctypes
import os
import select
import struct
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

CREATED = 0x100
CLOSED = 0x8  # after writing
MOVED_IN = 0x80

_HEADER = struct.Struct("iIII")
_libc = ctypes.CDLL(None, use_errno=True)


class FileEvent(NamedTuple):
    """One of `CREATED`, `CLOSED`, `MOVED_IN`, and the file."""

    kind: int
    path: Path


class FileEvents:
    """Events of files directly in the folders, in order, from the time of its making. Linux only."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._descriptor = _libc.inotify_init1(os.O_CLOEXEC)
        self._folders = {self._watch(folder): folder for folder in folders}
        self._pending: list[FileEvent] = []

    def _watch(self, folder: Path) -> int:
        number: int = _libc.inotify_add_watch(self._descriptor, os.fsencode(folder), CREATED | CLOSED | MOVED_IN)
        if number < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(folder))
        return number

    def until(self, deadline: float) -> Iterator[FileEvent]:
        """Events as they come, until the monotonic clock shows `deadline`."""
        while True:
            while self._pending:
                yield self._pending.pop(0)
            left = deadline - time.monotonic()
            if left <= 0:
                return
            if select.select([self._descriptor], [], [], left)[0]:
                self._read()

    def _read(self) -> None:
        data = os.read(self._descriptor, 65536)
        while data:
            number, kind, _, length = _HEADER.unpack_from(data)
            name = data[_HEADER.size : _HEADER.size + length].rstrip(b"\0")
            self._pending.append(FileEvent(kind, self._folders[number] / os.fsdecode(name)))
            data = data[_HEADER.size + length :]

    def close(self) -> None:
        os.close(self._descriptor)
