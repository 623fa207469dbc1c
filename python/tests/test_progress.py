# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import io
import json
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, cast

import pytest
from rich.console import Console

from spark_zorder import ZOrderTable, _progress, _progress_bars, progress
from spark_zorder._numbers import bytes_of_total, human_bytes
from spark_zorder._progress_bars import Bars, _Cell, _Terminal, bars_of_this_process
from spark_zorder._progress_source import KEY, following
from spark_zorder._progress_state import PHASES, ProgressState, parse_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

STATE = {
    "table": "t",
    "phase": "moving",
    "files": 48,
    "bytes": 814_200_000,
    "batch": 1,
    "batches": 1,
    "shares": {"sampling": 1.0, "moving": 0.45, "committing": 0.0},
}


def state(phase: str, share: float, batch: int = 1, batches: int | None = 1) -> ProgressState:
    at = PHASES.index(phase)
    shares = {p: 1.0 if i < at else share if i == at else 0.0 for i, p in enumerate(PHASES)}
    return ProgressState("t", phase, 48, 814_200_000, batch, batches, shares)


class Tracker:
    """A session whose setting says another state each time it is asked."""

    def __init__(self, states: list[ProgressState | None]) -> None:
        self.states = states
        self.settings: dict[str, str] = {}
        self.asked = threading.Event()
        self.conf = self
        self.statements: list[str] = []

    def get(self, key: str, default: str | None = None) -> str | None:
        if key != KEY:
            return self.settings.get(key, default)
        if not self.states:
            self.asked.set()
            raise OSError("the server has gone")
        now = self.states.pop(0)
        return "" if now is None else json.dumps({**vars(now), "shares": dict(now.shares)})

    def set(self, key: str, value: str) -> None:
        self.settings[key] = value

    def unset(self, key: str) -> None:
        del self.settings[key]

    def sql(self, statement: str) -> str:
        assert self.asked.wait(20)
        self.statements.append(statement)
        return "rows"

    def functionExists(self, _name: str) -> bool:
        return True

    @property
    def catalog(self) -> Tracker:
        return self

    def as_session(self) -> SparkSession:
        return cast("SparkSession", self)


class ConnectTracker(Tracker):
    """The same, with messages of the server in place of a thread."""

    __module__ = "pyspark.sql.connect.session"

    def __init__(self, states: list[ProgressState | None]) -> None:
        super().__init__(states)
        self.handlers: list[Callable[..., None]] = []

    def registerProgressHandler(self, handler: Callable[..., None]) -> None:
        self.handlers.append(handler)

    def removeProgressHandler(self, handler: Callable[..., None]) -> None:
        self.handlers.remove(handler)

    def sql(self, statement: str) -> str:
        for _ in range(len(self.states)):
            for handler in self.handlers:
                handler(stages=[], inflight_tasks=1, operation_id="o", done=False)
        for handler in self.handlers:
            handler(stages=[], inflight_tasks=0, operation_id="o", done=True)
        self.statements.append(statement)
        return "rows"


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def on_terminal(clock: Callable[[], float]) -> tuple[Bars, io.StringIO]:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=110, color_system=None)
    return Bars(console, _Terminal(console), clock=clock), out


def last_lines(out: io.StringIO) -> list[str]:
    """What stands on the terminal now: the lines since the last one was cleared."""
    return out.getvalue().rsplit("\x1b[2K", 1)[-1].split("\n")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is shown, by a process whose standard error is a terminal."""
    monkeypatch.setattr(_progress_bars, "SECONDS_BEFORE", 0.0)
    bars, out = on_terminal(time.monotonic)
    monkeypatch.setattr(_progress, "bars_of_this_process", lambda: bars)
    return out


def test_a_state() -> None:
    found = parse_state(json.dumps(STATE))
    assert found == ProgressState(
        "t", "moving", 48, 814_200_000, 1, 1, {"sampling": 1, "moving": 0.45, "committing": 0}
    )


@pytest.mark.parametrize(
    "text",
    [None, "", "{}", "[]", "1", "{", json.dumps({**STATE, "phase": "resting"}), json.dumps({**STATE, "shares": {}})],
)
def test_no_state(text: str | None) -> None:
    assert parse_state(text) is None


def test_sizes() -> None:
    assert [human_bytes(n) for n in (0, 1, 999, 1000, 999_499, 999_500, 256_000_000, 10**18)] == [
        "0 B", "1 B", "999 B", "1.00 kB", "999 kB", "1.00 MB", "256 MB", "1.00 EB",
    ]  # fmt: skip
    assert bytes_of_total(0, 0) == "0/0 B"
    assert bytes_of_total(1_000, 2_500_000) == "0.0/2.5 MB"


def test_bars_on_a_terminal() -> None:
    clock = Clock()
    bars, out = on_terminal(clock)
    bars.show(state("sampling", 0.5))
    assert out.getvalue() == ""
    clock.seconds = 4
    bars.show(state("moving", 0.25))
    clock.seconds = 8
    bars.show(state("moving", 0.5))
    lines = last_lines(out)
    assert lines[0].startswith("sampling")
    assert "100% 814.2/814.2 MB of 48 files" in lines[0]
    assert "50% 407.1/814.2 MB of 48 files 0:00:08" in lines[1]
    # A phase that is still to come has no bar.
    assert len(lines) == 2
    before = len(out.getvalue())
    bars.close()
    # The lines are cleared and the cursor is back; nothing comes any more.
    assert len(out.getvalue()) > before
    assert last_lines(out) == [""]
    before = len(out.getvalue())
    bars.show(state("committing", 0.0))
    bars.close()
    assert len(out.getvalue()) == before


def test_batches_start_again() -> None:
    clock = Clock()
    bars, out = on_terminal(clock)
    clock.seconds = 2
    bars.show(state("committing", 0.0, 1, 3))
    bars.show(state("sampling", 0.5, 2, 3))
    lines = last_lines(out)
    assert lines[0].startswith("sampling, batch 2 of 3")
    assert "50%" in lines[0]
    assert len(lines) == 1
    bars.show(state("moving", 0.5, 2, 3))
    # Partitions of the batch are retried.
    bars.show(state("sampling", 0.25, 2, 3))
    (line,) = last_lines(out)
    assert line.startswith("sampling, batch 2 of 3")
    bars.show(state("moving", 0.5, 3, None))
    assert "moving, batch 3 " in out.getvalue()
    bars.close()


def test_a_short_statement_shows_nothing() -> None:
    bars, out = on_terminal(Clock())
    bars.show(state("moving", 0.5))
    bars.close()
    assert out.getvalue() == ""


def test_a_notebook_shows_one_display(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    class Handle:
        def update(self, thing: Any, **named: Any) -> None:
            shown.append((thing, named))

    def display(thing: Any, *, display_id: bool) -> Handle:
        assert display_id
        shown.append(thing)
        return Handle()

    module = type(sys)("IPython.display")
    module.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", type(sys)("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    clock = Clock()
    bars = Bars(Console(file=io.StringIO(), width=100), _Cell(), clock=clock)
    clock.seconds = 2
    bars.show(state("moving", 0.25))
    bars.show(state("moving", 0.5))
    bars.close()
    assert "moving" in shown[0]._repr_mimebundle_((), ())["text/html"]
    assert "50%" in shown[1][0]._repr_mimebundle_((), ())["text/plain"]
    assert shown[2] == ({"text/plain": ""}, {"raw": True})


def test_statements_show_bars_and_leave_nothing(terminal: io.StringIO) -> None:
    tracker = Tracker([None, state("sampling", 0.5), state("moving", 0.5)])
    threads = threading.enumerate()
    # The statement's own bars give way to those of the block.
    with progress(tracker.as_session()):
        ZOrderTable.forName(tracker.as_session(), "t").optimize().executeZOrderBy("a")
        assert tracker.settings == {KEY: ""}
    assert tracker.statements == ["OPTIMIZE `t` ZORDER BY (`a`)"]
    assert "moving" in terminal.getvalue()
    assert tracker.settings == {}
    assert threading.enumerate() == threads


def test_of_two_threads_the_first_has_the_screen(terminal: io.StringIO) -> None:
    first, second = (ConnectTracker([state("moving", 0.5)]) for _ in range(2))
    with progress(first.as_session()):
        other = threading.Thread(
            target=lambda: ZOrderTable.forName(second.as_session(), "t").optimize().executeZOrderBy("a")
        )
        other.start()
        other.join(20)
        assert (second.statements, second.handlers) == (["OPTIMIZE `t` ZORDER BY (`a`)"], [])
        assert terminal.getvalue() == ""
        first.sql("OPTIMIZE")
    assert "moving" in terminal.getvalue()


def test_connect_is_followed_by_its_messages(terminal: io.StringIO) -> None:
    tracker = ConnectTracker([None, state("sampling", 0.5), state("moving", 0.5)])
    threads = threading.active_count()
    assert str(ZOrderTable.forName(tracker.as_session(), "t").optimize().executeZOrderBy("a")) == "rows"
    assert "407.1/814.2 MB" in terminal.getvalue()
    assert (tracker.handlers, tracker.settings) == ([], {})
    assert threading.active_count() == threads


def test_the_error_of_a_statement_comes_through(terminal: io.StringIO) -> None:
    tracker = ConnectTracker([])
    with pytest.raises(ValueError, match="as it was"), progress(tracker.as_session()):
        raise ValueError("as it was")
    assert (tracker.handlers, tracker.settings) == ([], {})
    assert terminal.getvalue() == ""


def test_what_breaks_in_showing_breaks_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def show(self, _state: Any) -> None:
            raise BrokenPipeError

        def close(self) -> None:
            pass

    monkeypatch.setattr(_progress, "bars_of_this_process", Broken)
    tracker = ConnectTracker([state("moving", 0.5)])
    with progress(tracker.as_session()):
        tracker.sql("OPTIMIZE")
    refusing = Tracker([])
    monkeypatch.setattr(refusing, "set", lambda *_: 1 / 0)
    with progress(refusing.as_session()):
        pass
    assert refusing.settings == {}


def test_the_setting_turns_bars_off(terminal: io.StringIO) -> None:
    tracker = ConnectTracker([state("moving", 0.5)])
    tracker.settings["spark.sql.zorder.progress"] = "off"
    with progress(tracker.as_session()):
        tracker.sql("OPTIMIZE")
    assert terminal.getvalue() == ""


def test_no_bars_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    # What rich would take for a terminal.
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert bars_of_this_process() is None
    monkeypatch.setattr(sys, "stderr", None)
    assert bars_of_this_process() is None

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    assert bars_of_this_process() is not None
    monkeypatch.setenv("TERM", "dumb")
    assert bars_of_this_process() is None


def test_no_bars_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert bars_of_this_process() is None


def test_a_thread_that_is_answered_late_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from spark_zorder import _progress_source

    monkeypatch.setattr(_progress_source, "_SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(_progress_source, "_SECONDS_TO_END", 0.0)
    tracker = Tracker([])
    asked, answered = threading.Event(), threading.Event()

    def late(_key: str, _default: str | None = None) -> str:
        asked.set()
        answered.wait(20)
        return ""

    monkeypatch.setattr(tracker, "get", late)
    with following(tracker.as_session(), lambda _state: None):
        assert asked.wait(20)
    assert tracker.settings == {}
    answered.set()
