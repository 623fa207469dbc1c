# SPDX-License-Identifier: Apache-2.0

"""A file system of a few megabytes, which really gets full."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """Mounts an ext4 of this size from a file in the folder; needs root, as the machine that runs the tests has."""
    image = folder / "disk.img"
    mounted = folder / "disk"
    mounted.mkdir()
    with image.open("wb") as file:
        file.truncate(megabytes << 20)
    # Without a share kept back for root, who would not notice that the disk is full.
    subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", str(image)], check=True)
    subprocess.run(["mount", "-o", "loop", str(image), str(mounted)], check=True)
    try:
        yield mounted
    finally:
        # Also when a session still has a file of it open.
        subprocess.run(["umount", "--lazy", str(mounted)], check=True)


def fill(disk: Path, leave: int) -> Path:
    """Writes a file that leaves this many bytes free."""
    stand_in = disk / "other-data"
    status = os.statvfs(disk)
    stand_in.write_bytes(b"\1" * max(0, status.f_bavail * status.f_frsize - leave))
    return stand_in
