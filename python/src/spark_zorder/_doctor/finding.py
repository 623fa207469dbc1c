# SPDX-License-Identifier: Apache-2.0

"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass

OK, WARNING, PROBLEM = "ok", "warning", "problem"


@dataclass(frozen=True)
class Finding:
    """One line of the doctor.

    Attributes:
        check: what was looked at.
        status: `ok`, `warning` (something will not work, or not as expected) or `problem` (statements will fail).
        found: what there is.
        next: what to do; empty where all is well.
    """

    check: str
    status: str
    found: str
    next: str = ""
