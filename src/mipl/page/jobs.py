"""Jobs: what takes long, in processes of their own that outlive browser and server.

A job is a folder: what is wanted, its state, its figures. Whoever looks at the folder
knows all there is to know; a new server finds the jobs of the last one at work, and
begins again with what was killed. Training is one job at a time, the others wait.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from threading import RLock
from time import time
from typing import Any

from mipl.errors import BadFile, MiplError
from mipl.files import make_folder, read_bounded, write_text
from mipl.page.workspace import Workspace, is_id
from mipl.runs.folder_lock import writing_alone

WANTED, STATE, RESULT = "wanted.json", "state.json", "result.json"
WISH = "wish.json"
FIGURES, OUTPUT, LOCK = "figures.jsonl", "output.txt", "process"
WAITING, STARTING, RUNNING = "waiting", "starting", "running"
PAUSED, FINISHED, FAILED, CANCELLED = "paused", "finished", "failed", "cancelled"
ENDED = (FINISHED, FAILED, CANCELLED)
# What does the jobs of a kind: ``work``, given what is wanted and the folder of a job,
# returns what JSON can hold; ``undo`` takes back what a cancelled one has left.
KINDS = {
    "fit": "mipl.page.fit_job",
    "import": "mipl.page.import_job",
    "look": "mipl.page.look_job",
    "time": "mipl.page.time_job",
}
_LARGEST = 1 << 26
_SLOW_START = 60.0  # Seconds in which a process that was started makes itself known.
_PATIENCE = 20.0  # Seconds after which a job that was cancelled is killed.
_ONE_AT_A_TIME = ("fit",)


@dataclass(frozen=True)
class Job:
    """A job as it is now.

    Attributes
    ----------
    id : str
        32 hexadecimal digits.
    kind : str
        What does it: see ``KINDS``.
    title : str
    arguments : mapping
        What is wanted.
    state : str
        ``waiting``, ``starting``, ``running``, ``paused``, ``finished``, ``failed``,
        ``cancelled``.
    sentence : str
        Why it failed.
    made, since, seconds : float
        When it was asked for and when the state began (since 1970); how long it was at
        work before that.
    """

    id: str
    folder: Path
    kind: str
    title: str
    arguments: Mapping[str, Any]
    made: float
    state: str = WAITING
    sentence: str = ""
    since: float = 0.0
    seconds: float = 0.0
    pid: int = 0

    @property
    def at_work(self) -> bool:
        """Whether a process is at it."""
        return self.state in (STARTING, RUNNING)

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ENDED

    def worked(self) -> float:
        """Return for how many seconds it has been at work so far."""
        return self.seconds + (time() - self.since if self.state == RUNNING else 0.0)

    def result(self) -> dict[str, Any]:
        """Return what came of it; {} where nothing did."""
        return _read(self.folder / RESULT)

    def figures(self) -> list[dict[str, Any]]:
        """Return what it has told on its way, a later line of an epoch in its place."""
        path = self.folder / FIGURES
        if not path.exists():
            return []
        lines = read_bounded(path, _LARGEST).decode("utf-8", "replace").splitlines()
        found: dict[Any, dict[str, Any]] = {}
        for line in lines:
            try:
                one = json.loads(line)
            except ValueError:  # The last line of a process that was killed.
                continue
            if isinstance(one, dict):
                found[one.get("kind"), one.get("done")] = one
        return sorted(found.values(), key=lambda one: float(one.get("done") or 0))


@dataclass
class Jobs:
    """The jobs of a workspace.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     jobs = Jobs(Workspace(folder))
    ...     jobs.all(), jobs.running("fit")
    ([], [])
    """

    workspace: Workspace
    _children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _forgotten: set[str] = field(default_factory=set)  # Removed when they have ended.
    _guard: RLock = field(default_factory=RLock)  # Many screens share the children.

    @property
    def folder(self) -> Path:
        """Where the jobs are."""
        return make_folder(self.workspace.own / "jobs")

    def all(self, *kinds: str) -> list[Job]:
        """Return the jobs of these kinds, or all, the newest first."""
        self._reap()
        found = []
        for path in self.folder.iterdir():
            if is_id(path.name) and path.name not in self._forgotten:
                try:
                    found.append(self._job(path.name))
                except MiplError:  # Being made, or removed.
                    continue
        wanted = [one for one in found if not kinds or one.kind in kinds]
        return sorted(wanted, key=lambda one: (-one.made, one.id))

    def job(self, id: str) -> Job:
        """Return the job of an id."""
        self._reap()
        if not is_id(id) or not (self.folder / id / WANTED).is_file():
            raise MiplError("there is no such job in the workspace; it was removed.")
        return self._job(id)

    def running(self, kind: str) -> list[Job]:
        """Return the jobs of a kind that a process is at."""
        return [one for one in self.all(kind) if one.at_work]

    def start(self, kind: str, title: str, arguments: Mapping[str, Any]) -> Job:
        """Ask for a job; it begins at once, or when those before it are done."""
        id = token_hex(16)
        place = make_folder(self.folder / id)
        wanted = {"kind": kind, "title": title, "arguments": dict(arguments)}
        _write(place / STATE, {"state": WAITING, "since": time()})
        _write(place / WANTED, {**wanted, "made": time()})
        self.start_waiting()
        return self.job(id)

    def start_waiting(self) -> None:
        """Begin what waits, as far as it need not wait for others."""
        with self._deciding():
            for one in reversed(self.all()):
                alone = one.kind in _ONE_AT_A_TIME
                if one.state == WAITING and not (alone and self.running(one.kind)):
                    self._begin(one)

    def pause(self, id: str) -> Job:
        """Let a job save its state and end its process."""
        return self._wish(id, PAUSED, signal.SIGINT)

    def cancel(self, id: str) -> Job:
        """Give a job up; nothing of it is left but its record."""
        return self._wish(id, CANCELLED, signal.SIGTERM)

    def go_on(self, id: str) -> Job:
        """Go on with a job that was paused, failed or was killed."""
        with self._deciding():  # At once: who cancels after this cancels what goes on.
            one = self.job(id)
            if not one.at_work and one.state not in (WAITING, FINISHED):
                put_state(one.folder, WAITING, seconds=one.seconds)
        self._wait_for_the_end_of(id)
        self.start_waiting()
        return self.job(id)

    def remove(self, id: str) -> None:
        """Forget a job that is over; what it has written stays."""
        one = self.job(id)
        if not one.over:
            raise MiplError(f"{one.title} is not over yet; cancel it first.")
        child = self._children.get(id)
        if child is not None and child.poll() is None:
            self._forgotten.add(id)  # It has told its end, and lets go of its lock.
        else:
            shutil.rmtree(one.folder, ignore_errors=True)

    def look_after(self) -> None:
        """Begin again with what a process was at that is no more: after a new start."""
        with self._deciding():
            for one in self.all():
                if one.at_work and not self._lives(one):
                    given_up = _wished(one) == CANCELLED
                    self._settle(one, CANCELLED if given_up else WAITING)
        self.start_waiting()

    def kill_overdue(self) -> None:
        """End jobs that were cancelled and do not listen."""
        for one in self.all():
            if one.over or _wished(one) != CANCELLED:
                continue
            since = float(_read(one.folder / WISH).get("since", time()))
            overdue = time() - since > _PATIENCE
            if one.state == PAUSED:  # It was, when the wish to end came.
                self.cancel(one.id)
            elif one.at_work and overdue:
                if self._lives(one) and one.pid:
                    os.kill(one.pid, signal.SIGKILL)
                put_state(one.folder, CANCELLED)

    def _deciding(self) -> AbstractContextManager[None]:
        """Let nobody else begin, hold or end a job meanwhile, in any process."""
        return writing_alone(self.folder / "starter", _SLOW_START)

    def _wish(self, id: str, state: str, number: signal.Signals) -> Job:
        with self._deciding():
            one = self.job(id)
            if one.at_work and self._lives(one):
                self._ask(one, state, number)
            elif not one.over:
                self._settle(one, state)
        self.start_waiting()
        return self.job(id)

    def _ask(self, one: Job, state: str, number: signal.Signals) -> None:
        """Tell a process: it reads the wish as it begins, and hears the signal then."""
        _write(one.folder / WISH, {"state": state, "since": time()})
        now = self.job(one.id)  # It may have begun to listen since.
        if now.state == RUNNING and now.pid:
            with suppress(ProcessLookupError):
                os.kill(now.pid, number)

    def _settle(self, one: Job, state: str) -> None:
        """Write the state of a job that no process is at."""
        if state == CANCELLED:
            undo(one.kind, one.arguments, self.workspace.folder)
        put_state(one.folder, state, seconds=one.seconds)

    def _wait_for_the_end_of(self, id: str) -> None:
        """Let a process end that has told that it was held, and still has its lock."""
        child = self._children.get(id)
        if child is not None and not self.job(id).at_work:
            with suppress(subprocess.TimeoutExpired):
                child.wait(_SLOW_START)

    def _begin(self, one: Job) -> None:
        command = [sys.executable, "-m", "mipl.page.worker", str(one.folder)]
        with self._guard, (one.folder / OUTPUT).open("ab") as output:
            (one.folder / WISH).unlink(missing_ok=True)
            put_state(one.folder, STARTING, seconds=one.seconds)
            self._children[one.id] = subprocess.Popen(
                command,
                cwd=self.workspace.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # It is not ended with the terminal.
            )

    def _lives(self, one: Job) -> bool:
        """Tell whether a process is at a job: it holds the lock as long as it lives."""
        child = self._children.get(one.id)
        if child is not None and child.poll() is None:
            return True
        if one.state == STARTING and time() - one.since < _SLOW_START and child is None:
            return True
        try:
            with writing_alone(one.folder / LOCK):
                return False
        except MiplError:
            return True

    def _reap(self) -> None:
        """Take note of processes that have ended, however they did."""
        with self._guard:
            self._note_ends()

    def _note_ends(self) -> None:
        for id, child in list(self._children.items()):
            if child.poll() is None:
                continue
            del self._children[id]
            if id in self._forgotten:
                self._forgotten.remove(id)
                shutil.rmtree(self.folder / id, ignore_errors=True)
            try:
                one = self._job(id)
            except MiplError:
                continue
            if one.at_work:
                put_state(one.folder, FAILED, _DIED, seconds=one.worked())

    def _job(self, id: str) -> Job:
        place = self.folder / id
        wanted, state = _read(place / WANTED), _read(place / STATE)
        try:
            return Job(
                id,
                place,
                str(wanted["kind"]),
                str(wanted["title"]),
                dict(wanted["arguments"]),
                float(wanted["made"]),
                str(state.get("state", WAITING)),
                str(state.get("sentence", "")),
                float(state.get("since", 0.0)),
                float(state.get("seconds", 0.0)),
                int(state.get("pid", 0)),
            )
        except (KeyError, TypeError, ValueError):
            raise BadFile(f"the record of the job in {place} is damaged.") from None


_DIED = (
    "its process has ended without a word: it was killed, or the memory was full. "
    "Going on begins where it was last saved."
)


def undo(kind: str, arguments: Mapping[str, Any], root: Path) -> None:
    """Take back what a job of a workspace has left that is cancelled."""
    module = import_module(KINDS[kind])
    if hasattr(module, "undo"):
        module.undo(arguments, root)


def _wished(one: Job) -> object:
    """Return the state that somebody has wished for a job since it began."""
    return _read(one.folder / WISH).get("state")


def put_state(
    folder: Path, state: str, sentence: str = "", seconds: float = 0.0, pid: int = 0
) -> None:
    """Write the state of a job."""
    told = {"state": state, "sentence": sentence, "since": time()}
    _write(folder / STATE, {**told, "seconds": seconds, "pid": pid})


def _write(path: Path, values: Mapping[str, Any]) -> None:
    write_text(path, json.dumps(values, allow_nan=False))


def _read(path: Path) -> dict[str, Any]:
    """Return what stands in a file of ours; {} where there is no such thing."""
    try:
        found = json.loads(read_bounded(path, _LARGEST))
    except (MiplError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
