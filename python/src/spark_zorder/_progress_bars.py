# SPDX-License-Identifier: Apache-2.0

"""Draws the states of a statement as bars, by rich; on a terminal's standard error, or in a notebook's cell."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from spark_zorder._numbers import bytes_of_total, count
from spark_zorder._progress_state import PHASES

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console
    from rich.progress import Progress

    from spark_zorder._progress_state import ProgressState

# A statement that is done by then shows nothing.
SECONDS_BEFORE = 1.0


class _Surface(Protocol):
    """Where the bars are drawn."""

    def draw(self, bars: Progress) -> None: ...

    def clear(self, bars: Progress) -> None: ...


class Bars:
    """One bar for each phase that has begun; drawn from the first state that comes late enough, gone when closed."""

    def __init__(self, console: Console, surface: _Surface, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Use `bars_of_this_process`.

        Args:
            console: gives the bars their width and colours.
            surface: draws them.
            clock: seconds, for the time that is left.
        """
        self._clock = clock
        self._started = clock()
        self._surface = surface
        self._bars = _progress(console, clock)
        self._tasks = {phase: self._bars.add_task(phase, start=False, visible=False, amount="") for phase in PHASES}
        self._at = (0, 0)
        self._lock = threading.Lock()
        self._is_drawn = False
        self._is_closed = False

    def show(self, state: ProgressState | None) -> None:
        """Draws a state; None, or anything after `close`, draws nothing new."""
        with self._lock:
            if self._is_closed or state is None:
                return
            self._take(state)
            if self._clock() - self._started >= SECONDS_BEFORE:
                self._is_drawn = True
                self._surface.draw(self._bars)

    def close(self) -> None:
        """Takes the bars away; later states are ignored."""
        with self._lock:
            self._is_closed = True
            if self._is_drawn:
                with suppress(Exception):
                    self._surface.clear(self._bars)

    def _take(self, state: ProgressState) -> None:
        at = (state.batch, PHASES.index(state.phase))
        # Another batch, or the same once more for partitions that others have changed.
        if at[0] != self._at[0] or at[1] < self._at[1]:
            for task in self._tasks.values():
                self._bars.reset(task, start=False, visible=False, amount="")
        self._at = at
        for number, phase in enumerate(PHASES[: at[1] + 1]):
            task = self._tasks[phase]
            if self._bars.tasks[number].start_time is None:
                self._bars.start_task(task)
            share = state.shares[phase]
            self._bars.update(
                task,
                visible=True,
                description=_title(phase, state),
                # Without a task that is done the bar pulses.
                total=None if share == 0 else 1.0,
                completed=share,
                amount=_amount(phase, state),
            )


def bars_of_this_process() -> Bars | None:
    """Returns bars for the notebook or terminal that this process writes to, or None where there is neither.

    None also without rich: the package may have been installed without what it depends on.
    """
    try:
        from rich.console import Console
    except ImportError:
        return None
    console = Console(stderr=True)
    if console.is_jupyter:
        return Bars(console, _Cell())
    # What is written to sys.stderr counts, not what rich's own variables of the environment force.
    is_terminal = sys.stderr is not None and sys.stderr.isatty() and not console.is_dumb_terminal
    return Bars(console, _Terminal(console)) if is_terminal else None


def _progress(console: Console, clock: Callable[[], float]) -> Progress:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[amount]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    return Progress(*columns, console=console, auto_refresh=False, get_time=clock)


def _title(phase: str, state: ProgressState) -> str:
    if state.batch <= 1 and state.batches in (None, 1):
        return phase
    return f"{phase}, batch {state.batch}" + (f" of {state.batches}" if state.batches else "")


def _amount(phase: str, state: ProgressState) -> str:
    if phase == PHASES[-1] or state.files == 0:
        return ""
    return f"{bytes_of_total(state.bytes * state.shares[phase], state.bytes)} of {count(state.files, 'file')}"


class _Terminal:
    """Lines at the end of a terminal, which are written over each time."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live

        # What other threads print is theirs: rich would send it here, and away from a file that it is meant for.
        self._live = Live(
            console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
        )

    def draw(self, bars: Progress) -> None:
        if not self._live.is_started:
            self._live.start()
        self._live.update(bars.get_renderable(), refresh=True)

    def clear(self, bars: Progress) -> None:
        self._live.stop()


class _Cell:
    """A display of a notebook that is put in place of itself; needs no widgets."""

    def __init__(self) -> None:
        self._handle: Any = None

    def draw(self, bars: Progress) -> None:
        table = bars.make_tasks_table(bars.tasks)
        if self._handle is None:
            self._handle = import_module("IPython.display").display(table, display_id=True)
        else:
            self._handle.update(table)

    def clear(self, bars: Progress) -> None:
        self._handle.update({"text/plain": ""}, raw=True)
