# SPDX-License-Identifier: Apache-2.0

"""Numbers for people: bytes, shares and counts."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal

# Keeps a number and its unit on one line.
NBSP = "\u00a0"

_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")


def _unit(size: float) -> tuple[int, str]:
    power = 0
    # 999.5 kB would be written as 1000 kB.
    while power < len(_UNITS) - 1 and abs(size) >= 999.5 * 1000**power:
        power += 1
    return 1000**power, _UNITS[power]


def human_bytes(size: float) -> str:
    """Returns a number of bytes in three digits and the unit that suits it, by thousands, as the statements print it.

    Example:
        >>> human_bytes(0), human_bytes(999), human_bytes(1_240), human_bytes(12_400_000), human_bytes(814_200_000)
        ('0 B', '999 B', '1.24 kB', '12.4 MB', '814 MB')
    """
    one, unit = _unit(size)
    value = size / one
    if one == 1:
        return f"{value:.0f} {unit}"
    return f"{decimals(value, 2 if value < 9.995 else 1 if value < 99.95 else 0)} {unit}"


def decimals(value: float, places: int) -> str:
    """Returns a number with so many decimals, a half rounded up as Java does: by the digits that it prints.

    Example:
        >>> decimals(1.005, 2), decimals(12, 1)
        ('1.01', '12.0')
    """
    return str(Decimal(repr(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def tenths(value: float) -> str:
    """Returns a number with one decimal, whole numbers without.

    Example:
        >>> tenths(24.0), tenths(7.25), tenths(1234.96)
        ('24', '7.2', '1,235')
    """
    return f"{value:,.1f}".removesuffix(".0")


def bytes_of_total(size: float, total: float) -> str:
    """Returns a part and its whole, in the unit of the whole.

    Example:
        >>> bytes_of_total(366_300_000, 814_200_000)
        '366.3/814.2 MB'
    """
    one, unit = _unit(total)
    digits = 0 if one == 1 else 1
    return f"{size / one:.{digits}f}/{total / one:.{digits}f} {unit}"


def percent(share: float, error: float = 0.0) -> str:
    """Returns a share of one in percent: whole percents, and two digits of what is less than ten; never an exponent.

    Args:
        share: 0 to 1.
        error: how far the share may be off, in the same unit; said where it shows in one more digit than the share has.

    Example:
        >>> [percent(share) for share in (0, 0.004, 0.031, 0.25, 0.99997, 1)]
        ['0 %', '0.4 %', '3.1 %', '25 %', '100 %', '100 %']
        >>> percent(0.25, 0.006), percent(0.99997, 0.000006)
        ('25 ± 0.6 %', '100 %')
        >>> percent(float("nan"))
        'unknown'
    """
    if not math.isfinite(share):
        return "unknown"
    value = 100 * share
    # As many digits as two significant ones need; from 9.95 on that is none.
    digits = 0 if value == 0 or abs(value) >= 9.95 else 1 - math.floor(math.log10(abs(value)))
    said = _decimal(100 * error, digits + 1) if math.isfinite(error) else "0"
    return f"{_decimal(value, digits)}{'' if said == '0' else f' ± {said}'} %"


def _decimal(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(number: int, noun: str) -> str:
    """Returns a number with its noun.

    Example:
        >>> count(0, "file"), count(1, "file"), count(1200, "file")
        ('0 files', '1 file', '1,200 files')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size_text(size: float) -> str:
    r"""Returns bytes for people, in steps of 1000.

    Example:
        >>> size_text(950), size_text(12_400_000)
        ('950\xa0B', '12.4\xa0MB')
    """
    return human_bytes(size).replace(" ", NBSP)


def count_text(number: int | None, noun: str = "") -> str:
    """Returns a count, with its noun if there is one.

    Example:
        >>> count_text(1, "file"), count_text(12, "file"), count_text(None, "row")
        ('1 file', '12 files', 'an unknown number of rows')
    """
    if number is None:
        return f"an unknown number of {noun}s" if noun else "unknown"
    return count(number, noun) if noun else f"{number:,}"


def percent_text(share: float | None, error: float = 0.0) -> str:
    r"""Returns a share in percent, and how far it may be off, as `percent` does.

    Example:
        >>> percent_text(0.25), percent_text(0.004), percent_text(0.99997), percent_text(None)
        ('25\xa0%', '0.4\xa0%', '100\xa0%', 'unknown')
    """
    return "unknown" if share is None else percent(share, error).replace(" %", f"{NBSP}%")
