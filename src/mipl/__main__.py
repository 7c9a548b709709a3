"""``mipl`` as a program: an interrupt ends it cleanly, whenever it comes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import NoReturn

_MISSING, _INTERRUPTED = 2, 130


def main() -> None:
    """Run the command line; while it is loaded, and once it is done, nothing is lost.

    So an interrupt ends the process at once there. In between it is an exception, as
    everywhere in Python, which commands meet by keeping what is done.
    """
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeded:  # Otherwise somebody has asked for interrupts to be ignored.
        signal.signal(signal.SIGINT, _end)
    run = _command_line()  # Under the handler above.
    try:
        if heeded:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    finally:
        if heeded:
            signal.signal(signal.SIGINT, _end)
        sys.stdout.flush()


def _command_line() -> Callable[[], NoReturn]:
    try:
        found: Callable[[], NoReturn] = import_module("mipl.cli.main").main
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        told = import_module("mipl.errors").MissingExtra.of(
            "the command line", error.name, "cli"
        )
        print(f"error: {told}", file=sys.stderr)
        sys.exit(_MISSING)
    return found


def _end(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
