"""The process of a job: ``python -m mipl.page.worker FOLDER``.

A signal asks it to pause (as Ctrl-C) or to be cancelled; it ends by writing what became
of it, and begins the next job that waits, with or without a server.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from time import sleep, time
from types import FrameType
from typing import Any

from mipl.errors import MiplError
from mipl.files import read_bounded, write_text
from mipl.page import jobs as records
from mipl.page.workspace import OWN, Workspace
from mipl.runs.folder_lock import writing_alone

_TRIES, _MOMENT = (
    40,
    0.05,
)  # Who looks whether we live holds the lock shortly.


class Cancelled(BaseException):
    """Asked for from outside; no code that mends mistakes may stop it."""


def main(folder: Path) -> None:
    """Do the job of a folder, and begin the next."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _cancel)
    with _alone(folder):
        _work(folder)
    records.Jobs(Workspace(_workspace_of(folder))).start_waiting()


def _work(folder: Path) -> None:
    wanted = json.loads(read_bounded(folder / records.WANTED, 1 << 26))
    before = _told(folder / records.STATE).get("seconds", 0.0)
    arguments, begun = wanted["arguments"], time()
    records.put_state(folder, records.RUNNING, seconds=before, pid=os.getpid())
    state, sentence = records.FINISHED, ""
    try:
        module = import_module(records.KINDS[wanted["kind"]])
        _heed(_told(folder / "wish.json"))
        found = module.work(arguments, folder)
        write_text(folder / records.RESULT, json.dumps(found, allow_nan=False))
    except KeyboardInterrupt:
        state = records.PAUSED
    except Cancelled:
        state = records.CANCELLED
    except (MiplError, OSError, MemoryError) as error:
        state, sentence = records.FAILED, str(error) or "the memory is full."
    except Exception:
        traceback.print_exc()  # Into the file of the job.
        state, sentence = records.FAILED, _BUG
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if state == records.CANCELLED:
        records.undo(wanted["kind"], arguments, _workspace_of(folder))
    records.put_state(folder, state, sentence, before + time() - begun)


_BUG = (
    "this failed by a mistake of the program; what happened stands in output.txt of "
    "the job."
)


def _cancel(number: int, frame: FrameType | None) -> None:
    raise Cancelled


def _heed(wish: Mapping[str, Any]) -> None:
    """Obey what was wished before signals were heard."""
    if wish.get("state") == records.CANCELLED:
        raise Cancelled
    if wish.get("state") == records.PAUSED:
        raise KeyboardInterrupt


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock of the job; whoever finds it held by another at work leaves."""
    for left in reversed(range(_TRIES)):
        held = writing_alone(folder / records.LOCK)
        try:
            held.__enter__()
            break
        except MiplError:
            if not left:
                sys.exit(0)
            sleep(_MOMENT)
    try:
        yield
    finally:
        held.__exit__(None, None, None)


def _told(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_bounded(path, 1 << 20))
    except (MiplError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _workspace_of(folder: Path) -> Path:
    return next(one.parent for one in folder.parents if one.name == OWN)


Work = Callable[[Mapping[str, Any], Path], Mapping[str, Any]]

if __name__ == "__main__":
    main(Path(sys.argv[1]))
