"""The study of a search: optuna's, in memory or in an SQLite file.

This is the only file that knows optuna, which is optional: import it on use.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mipl.errors import BadFile, MiplError, MissingExtra
from mipl.seeds import stream_seed
from mipl.selection.axes import Axis
from mipl.selection.trials import DIVERGED, FINISHED, PRUNED, Trial
from mipl.training.checkpoint import check_same

try:
    import optuna
    from optuna.trial import FrozenTrial, TrialState
    from sqlalchemy.exc import SQLAlchemyError
except ImportError:
    raise MissingExtra.of("tuning", "optuna", "tune") from None

_NAME, _FACTS, _SCORES, _STATE = "mipl", "facts", "scores", "state"
_PATIENCE = 30.0  # Seconds to wait for somebody who reads the file.


class Study:
    """Trials that can be asked for and told, one after the other.

    What a trial tries is a function of the seed and of the trials finished before it,
    so that a study that was interrupted goes on as if it had not been.
    """

    def __init__(
        self, study: optuna.Study, axes: Mapping[str, Axis], seed: int
    ) -> None:
        self._study, self._axes, self._seed = study, axes, seed

    def trials(self) -> tuple[Trial, ...]:
        """Return the finished trials; what was interrupted is not among them."""
        done = self._study.get_trials(
            deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED)
        )
        return tuple(self._read(number, one) for number, one in enumerate(done))

    def _read(self, number: int, one: FrozenTrial) -> Trial:
        settings = self._settings(one.params)
        scores = tuple(one.user_attrs[_SCORES])
        return Trial(number, settings, scores, one.user_attrs[_STATE])

    def _settings(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return {name: axis.value(params[name]) for name, axis in self._axes.items()}

    def ask(self, number: int, point: Mapping[str, Any] | None) -> OpenTrial:
        """Begin the trial of a number, at a given point or at one of the sampler's."""
        seed = stream_seed(self._seed, "trial", number) % 2**32
        self._study.sampler = optuna.samplers.TPESampler(seed=seed)
        if point is not None:
            stored = {name: self._axes[name].stored(v) for name, v in point.items()}
            self._study.enqueue_trial(stored)
        trial = self._study.ask()
        for name, axis in self._axes.items():
            axis.draw(trial, name)
        return OpenTrial(self._study, trial, self._settings(trial.params))


class OpenTrial:
    """A trial that is being run."""

    def __init__(
        self, study: optuna.Study, trial: optuna.Trial, settings: dict[str, Any]
    ) -> None:
        self._study, self._trial, self.settings = study, trial, settings

    def hopeless(self, scores: list[float]) -> bool:
        """Report the folds so far; True where others did better at this point."""
        self._trial.report(sum(scores) / len(scores), step=len(scores))
        return self._trial.should_prune()

    def tell(self, scores: list[float], state: str) -> None:
        """End the trial."""
        self._trial.set_user_attr(_SCORES, scores)
        self._trial.set_user_attr(_STATE, state)
        if state == FINISHED:
            self._study.tell(self._trial, sum(scores) / len(scores))
        elif state in (PRUNED, DIVERGED):  # The sampler keeps away from both.
            self._study.tell(self._trial, state=TrialState.PRUNED)


@contextmanager
def opened(
    path: Path | None, facts: Mapping[str, Any], axes: Mapping[str, Axis], seed: int
) -> Iterator[Study]:
    """Give a study of these facts; one that lies in the file goes on."""
    if path is None:
        yield Study(_created(optuna.storages.InMemoryStorage()), axes, seed)
        return
    _check_file(path)
    with _held(path), _stored(path) as storage:
        with _readable(path):
            found = _created(storage)
            _claim(found, path, facts)
            study = Study(found, axes, seed)
            study.trials()
        yield study


@contextmanager
def _stored(path: Path) -> Iterator[optuna.storages.RDBStorage]:
    with _told(path, optuna.exceptions.OptunaError, SQLAlchemyError):
        with _readable(path):
            storage = optuna.storages.RDBStorage(
                f"sqlite:///{quote(str(path))}",
                engine_kwargs={"connect_args": {"timeout": _PATIENCE}},
            )
        try:
            yield storage
        finally:
            storage.engine.dispose()


def _created(storage: optuna.storages.BaseStorage) -> optuna.Study:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        return optuna.create_study(
            storage=storage,
            study_name=_NAME,
            pruner=optuna.pruners.MedianPruner(),
            direction="maximize",
            load_if_exists=True,
        )
    finally:
        optuna.logging.set_verbosity(before)


def _claim(study: optuna.Study, path: Path, facts: Mapping[str, Any]) -> None:
    """Refuse the study of another search; give up what a killed one has begun."""
    there = study.user_attrs.get(_FACTS)
    if there is None and not study.get_trials(deepcopy=False):
        study.set_user_attr(_FACTS, dict(facts))
    elif isinstance(there, dict):
        check_same(path, "the study of another search", there, facts)
    else:
        raise BadFile(f"{path} is not a study of mipl; give another name.")
    begun = study.get_trials(
        deepcopy=False, states=(TrialState.RUNNING, TrialState.WAITING)
    )
    for trial in begun:
        waits = trial.state == TrialState.WAITING  # It is the next to be asked for.
        study.tell(study.ask() if waits else trial.number, state=TrialState.FAIL)


def _check_file(path: Path) -> None:
    """Refuse what is no study before optuna writes its tables into it."""
    if not path.parent.is_dir():
        raise MiplError(
            f"cannot write {path}: the folder {path.parent} does not exist; create it."
        )
    if not path.exists():
        return
    if not path.is_file():
        raise MiplError(f"{path} is not a file; give another name.")
    try:
        # Not read-only: what a kill has left half written must be taken back.
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True)) as file:
            tables = {
                name for (name,) in file.execute("SELECT name FROM sqlite_master")
            }
    except sqlite3.Error as error:
        raise BadFile(f"{path} is not a study: {error}; give another name.") from None
    if tables and not {"studies", "trials", "study_user_attributes"} <= tables:
        raise BadFile(f"{path} is a database of something else; give another name.")


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Keep a second process away; the system lets go when a process dies."""
    lock = path.with_name(f".{path.name}.lock")
    try:
        held = sqlite3.connect(lock, timeout=0, isolation_level=None)
    except sqlite3.Error as error:
        raise MiplError(f"cannot write {path}: {error}.") from None
    with closing(held):
        try:
            held.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error:
            raise MiplError(
                f"{path} is in use by another process; wait for it, or give another "
                "name."
            ) from None
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


@contextmanager
def _told(path: Path, *kinds: type[Exception]) -> Iterator[None]:
    """Tell in a sentence what went wrong with the file."""
    try:
        yield
    except MiplError:
        raise
    except kinds as error:
        what = " ".join(str(error).split())[:120]
        raise BadFile(
            f"the study {path} cannot be read or written: {what}; give another name."
        ) from error


def _readable(path: Path) -> AbstractContextManager[None]:
    """Tell of what is in the file, but of another version or not as it should be."""
    return _told(path, LookupError, RuntimeError, TypeError)
