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
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from time import time
from types import FrameType
from typing import Any

from mipl.errors import MiplError
from mipl.files import read_bounded, write_text
from mipl.page import jobs as records
from mipl.page.workspace import OWN, Workspace
from mipl.runs.folder_lock import writing_alone

_PATIENCE = 20.0  # Seconds: the process before this one is letting go of its lock.


class Cancelled(BaseException):
    """Asked for from outside; no code that mends mistakes may stop it."""


def main(folder: Path) -> None:
    """Do the job of a folder, and begin the next; leave where another is at it."""
    signal.signal(signal.SIGINT, _pause)
    signal.signal(signal.SIGTERM, _cancel)
    try:
        with writing_alone(folder / records.LOCK, _PATIENCE):
            _work(folder)
    except MiplError:
        return
    records.Jobs(Workspace(_workspace_of(folder))).start_waiting()


def _work(folder: Path) -> None:
    wanted = json.loads(read_bounded(folder / records.WANTED, 1 << 26))
    before = _told(folder / records.STATE).get("seconds", 0.0)
    arguments, begun = wanted["arguments"], time()
    records.put_state(folder, records.RUNNING, seconds=before, pid=os.getpid())
    state, sentence = records.FINISHED, ""
    try:
        module = import_module(records.KINDS[wanted["kind"]])
        _heed(_wished(folder))
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
    _hear_no_more()
    if state == records.PAUSED and _wished(folder) == records.CANCELLED:
        state = records.CANCELLED  # It was asked for while the state was saved.
    if state == records.CANCELLED:
        records.undo(wanted["kind"], arguments, _workspace_of(folder))
    records.put_state(folder, state, sentence, before + time() - begun)


_BUG = (
    "this failed by a mistake of the program; what happened stands in output.txt of "
    "the job."
)


def _cancel(number: int, frame: FrameType | None) -> None:
    _hear_no_more()
    raise Cancelled


def _pause(number: int, frame: FrameType | None) -> None:
    _hear_no_more()
    raise KeyboardInterrupt


def _hear_no_more() -> None:
    """Let one wish be carried out before the next is looked at."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _wished(folder: Path) -> str | None:
    return _told(folder / records.WISH).get("state")


def _heed(wish: str | None) -> None:
    """Obey what was wished before signals were heard."""
    if wish is not None:
        _hear_no_more()
    if wish == records.CANCELLED:
        raise Cancelled
    if wish == records.PAUSED:
        raise KeyboardInterrupt


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
