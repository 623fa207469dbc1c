# SPDX-License-Identifier: Apache-2.0

"""Numbers of bytes for people."""

from __future__ import annotations

_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")


def _unit(size: float) -> tuple[int, str]:
    power = 0
    # 999.95 kB would be written as 1000.0 kB.
    while power < len(_UNITS) - 1 and abs(size) >= 999.95 * 1000**power:
        power += 1
    return 1000**power, _UNITS[power]


def human_bytes(size: float) -> str:
    """Returns a number of bytes in the unit that suits it, by thousands.

    Example:
        >>> human_bytes(0), human_bytes(999), human_bytes(12_400_000)
        ('0 B', '999 B', '12.4 MB')
    """
    one, unit = _unit(size)
    return f"{size / one:.0f} {unit}" if one == 1 else f"{size / one:.1f} {unit}"


def bytes_of_total(size: float, total: float) -> str:
    """Returns a part and its whole, in the unit of the whole.

    Example:
        >>> bytes_of_total(366_300_000, 814_200_000)
        '366.3/814.2 MB'
    """
    one, unit = _unit(total)
    digits = 0 if one == 1 else 1
    return f"{size / one:.{digits}f}/{total / one:.{digits}f} {unit}"
