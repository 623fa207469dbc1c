# SPDX-License-Identifier: Apache-2.0

"""What a soak run takes for right is what an operation leaves, or what was there before; nothing else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from records import APPEND, DELETE, MERGE, OVERWRITE, UPDATE, History, Operation, Record, matches

if TYPE_CHECKING:
    from pathlib import Path


def rows(*pairs: tuple[int, int]) -> Counter[tuple[int, int]]:
    return Counter(pairs)


def test_an_operation_changes_the_rows_that_it_names() -> None:
    one = Operation(1, APPEND, (1, 2, 3)).after(Counter())
    assert one == rows((1, 0), (2, 0), (3, 0))
    assert Operation(2, UPDATE, (2, 9), 7).after(one) == rows((1, 0), (2, 7), (3, 0))
    assert Operation(2, MERGE, (3, 4), 8).after(one) == rows((1, 0), (2, 0), (3, 8), (4, 8))
    assert Operation(2, DELETE, (1, 3)).after(one) == rows((2, 0))
    assert Operation(2, OVERWRITE, (5,), 9).after(one) == rows((5, 9))


def test_a_read_finds_a_state_between_its_begin_and_its_end(tmp_path: Path) -> None:
    path = tmp_path / "record"
    record = Record(path)
    record.begin(Operation(1, APPEND, (1, 2)))
    record.end(1)
    before = History.read(path)
    record.begin(Operation(2, APPEND, (3,)))
    record.end(2)
    record.begin(Operation(3, DELETE, (1,)))
    after = History.read(path)

    for found in (rows((1, 0), (2, 0)), rows((1, 0), (2, 0), (3, 0)), rows((2, 0), (3, 0))):
        assert matches(found, before, after, is_atomic=True)
    for found in (rows(), rows((1, 0)), rows((1, 0), (1, 0), (2, 0)), rows((2, 0))):
        assert not matches(found, before, after, is_atomic=True)
    # What was before is none any more once its successor has ended.
    assert not matches(rows((1, 0), (2, 0)), after, after, is_atomic=True)


def test_an_interrupted_operation_has_happened_or_not(tmp_path: Path) -> None:
    path = tmp_path / "record"
    record = Record(path)
    record.begin(Operation(1, APPEND, (1,)))
    record.end(1)
    record.begin(Operation(2, OVERWRITE, (2,)))
    history = History.read(path)

    assert history.possible(is_atomic=True) == [rows((1, 0)), rows((2, 0))]
    assert history.possible(is_atomic=False) == [rows((1, 0)), rows((2, 0)), rows()]
    record.emptied(2)
    assert History.read(path).possible(is_atomic=False) == [rows()]
    # A line that was not finished is none.
    with path.open("a") as file:
        file.write('{"begin": {"num')
    assert History.read(path).last == 2
