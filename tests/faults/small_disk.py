# SPDX-License-Identifier: Apache-2.0

"""A file system of a few megabytes, which really gets full, and loses what is not on the disk when its power is cut."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


# EXT4_IOC_SHUTDOWN, and what it says not to do: to write the journal (EXT4_GOING_FLAGS_NOLOGFLUSH).
_SHUTDOWN, _WITHOUT_JOURNAL = 0x8004587D, 2


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
    _mount(image, mounted)
    try:
        yield mounted
    finally:
        _unmount(mounted)


def _mount(image: Path, mounted: Path) -> None:
    subprocess.run(["mount", "-o", "loop", str(image), str(mounted)], check=True)


def _unmount(mounted: Path) -> None:
    # Also when a session still has a file of it open.
    subprocess.run(["umount", "--lazy", str(mounted)], check=True)


def cut_power(disk: Path) -> None:
    """Leaves of a small disk what it has after its power was cut: nothing that is in memory only."""
    folder = os.open(disk, os.O_RDONLY)
    try:
        fcntl.ioctl(folder, _SHUTDOWN, struct.pack("I", _WITHOUT_JOURNAL))
    finally:
        os.close(folder)
    _unmount(disk)
    _mount(disk.with_name("disk.img"), disk)


def fill(disk: Path, leave: int) -> Path:
    """Writes a file that leaves this many bytes free."""
    stand_in = disk / "other-data"
    status = os.statvfs(disk)
    stand_in.write_bytes(b"\1" * max(0, status.f_bavail * status.f_frsize - leave))
    return stand_in
