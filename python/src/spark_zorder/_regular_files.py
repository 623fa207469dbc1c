# SPDX-License-Identifier: Apache-2.0

"""Files of a table's folder, of which others may have made the names: one that waits for them holds up its reader."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path


def open_regular(path: Path) -> BinaryIO:
    """Opens a file for reading, and waits for no other end of a pipe.

    Raises:
        OSError: it cannot be read, or is a pipe, a socket or a device.
    """
    # Windows has no such pipes, and would change the ends of lines.
    how = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    stream = os.fdopen(os.open(path, how), "rb")
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise OSError(errno.EINVAL, "is no file", str(path))
    return stream


def text_of(path: Path) -> str:
    """Returns what is in a file of text, as `open_regular` opens it."""
    with open_regular(path) as stream:
        return stream.read().decode()
