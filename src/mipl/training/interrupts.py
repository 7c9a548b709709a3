"""Signals that ask to stop, held back until the state is saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ASKING = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Notes that Ctrl-C or a termination was asked for; ``deliver`` then obeys.

    The same signal a second time is obeyed at once, by whoever was responsible before.

    Examples
    --------
    >>> interrupts = Interrupts()
    >>> try:
    ...     with interrupts.held_back():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("the step is finished and saved")
    ...         interrupts.deliver()
    ... except KeyboardInterrupt:
    ...     print("stopped")
    the step is finished and saved
    stopped
    """

    def __init__(self) -> None:
        self._asked: int | None = None
        self._before: dict[int, Any] = {}

    @property
    def asked(self) -> bool:
        """Whether a signal waits."""
        return self._asked is not None

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Note signals instead of obeying; at the end handlers and signals go back.

        Only the main thread gets signals; in another one nothing is changed.
        """
        if threading.current_thread() is threading.main_thread():
            self._take_over()
        try:
            yield
        finally:
            self._put_back()
        if self._asked is not None:
            signal.raise_signal(self._asked)

    def deliver(self) -> None:
        """Hand the signal that waits to whoever was responsible for it before.

        Where that returns, as a handler of the caller's own may, training goes on.
        """
        number, self._asked = self._asked, None
        if number is not None:
            self._put_back()
            signal.raise_signal(number)
            self._take_over()

    def _take_over(self) -> None:
        for number in _ASKING:
            # An ignored signal stays ignored, and what C has installed is left alone.
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                self._before[number] = signal.signal(number, self._heard)

    def _put_back(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _heard(self, number: int, frame: FrameType | None) -> None:
        if self._asked == number:
            self._put_back()
            signal.raise_signal(number)
        self._asked = number
