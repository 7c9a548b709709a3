"""Checkpoints: the whole state of a training in one file, to go on from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, JsonValue, NonNegativeInt, ValidationError
from torch import Tensor

from mipl import files
from mipl.errors import BadFile, MiplError
from mipl.training.sealed import seal, unseal
from mipl.training.state import Snapshot, TrainingState, refill

if TYPE_CHECKING:
    from mipl.data.frozen import Array
    from mipl.training.stopping import EarlyStopping

_LARGEST = 1 << 36
_ANOTHER = "the checkpoint of another run"

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """Where a fit keeps its state, so that an interrupted one can go on.

    A fit that finds the file goes on from it, and ends with the same bits as an
    unbroken one; a file of other data, arguments or versions is refused. Ctrl-C (and a
    termination) waits until the step is finished and saved. The file stays when the
    fit is done: delete it once the model is saved.

    Parameters
    ----------
    path : path
        Of the one file; replaced as a whole, so that a kill leaves the old or the new.
    every : int or None
        Epochs between two saves, or iterations of what follows on them; None saves at
        Ctrl-C only.

    Examples
    --------
    >>> import tempfile
    >>> from mipl import MIPLMA, Training, load_dataset
    >>> data, training = load_dataset("synthetic"), Training(epochs=2)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     kept = Checkpoint(Path(place) / "a.checkpoint", every=1)
    ...     model = MIPLMA(training=training)
    ...     model = model.fit(data.bags, data.candidates, checkpoint=kept)
    ...     kept.path.exists()
    True
    """

    path: Path
    every: int | None = 10

    def __init__(self, path: str | Path, every: int | None = 10) -> None:
        if every is not None and (type(every) is not int or every < 1):
            raise MiplError(
                f"every of Checkpoint must be None or an integer >= 1; got {every!r}."
            )
        object.__setattr__(self, "path", Path(path))
        object.__setattr__(self, "every", every)

    @classmethod
    def of(cls, given: Checkpoint | str | Path | None) -> Checkpoint | None:
        """Read what a user may give: a checkpoint, the path of one, or none."""
        if given is None or isinstance(given, Checkpoint):
            return given
        if isinstance(given, (str, Path)):
            return cls(given)
        raise MiplError(f"checkpoint must be a Checkpoint or a path; got {given!r}.")


class _Snapshot(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    epoch: NonNegativeInt
    score: float = 0.0


class _Facts(BaseModel):
    """What a checkpoint holds beside its arrays; version 1."""

    model_config = ConfigDict(strict=True, extra="forbid")

    format: Literal["mipl-checkpoint"] = "mipl-checkpoint"
    version: Literal[1] = 1
    fingerprint: dict[str, JsonValue]
    epoch: NonNegativeInt
    step: NonNegativeInt
    finished: bool
    totals: dict[str, float]
    history: list[dict[str, float]]
    best: _Snapshot | None
    last: _Snapshot | None


def save(
    path: Path,
    fingerprint: Facts,
    state: TrainingState,
    stopping: EarlyStopping | None,
    finished: bool,
    calls: files.FileCalls = files.CALLS,
) -> None:
    """Replace the file by the state as it is now; whatever fails is raised."""
    best, score = (None, 0.0) if stopping is None else (stopping.best, stopping.score)
    arrays = _state_arrays(state)
    arrays |= _snapshot_arrays("best", best) | _snapshot_arrays("last", state.last)
    facts = _Facts(
        fingerprint=dict(fingerprint),
        epoch=state.epoch,
        step=state.step,
        finished=finished,
        totals=state.totals,
        history=state.history,
        best=None if best is None else _Snapshot(epoch=best.epoch, score=score),
        last=None if state.last is None else _Snapshot(epoch=state.last.epoch),
    )
    files.write_bytes(path, seal(arrays, facts.model_dump()), calls)


def resume(
    path: Path,
    content: bytes,
    fingerprint: Facts,
    state: TrainingState,
    stopping: EarlyStopping | None,
) -> bool:
    """Bring a new state to where a checkpoint stands; tell whether it was the end."""
    arrays, raw = unseal(path, content)
    if isinstance(raw, dict) and isinstance(raw.get("fingerprint"), dict):
        # First of all: what another method has saved looks otherwise.
        check_same(path, _ANOTHER, raw["fingerprint"], fingerprint)
    facts = _read_facts(path, raw)
    try:
        _put_into(state, facts, arrays)
        if stopping is not None and facts.best is not None:
            stopping.score = facts.best.score
            stopping.best = _snapshot(_under("best", arrays), facts.best, state)
    except (LookupError, RuntimeError, TypeError, ValueError) as error:
        raise BadFile(f"{path} does not hold the state of this training.") from error
    return facts.finished


def read(path: Path) -> bytes:
    """Return the bytes of a checkpoint's file."""
    size = files.existing_file(path).stat().st_size
    return files.read_bounded(path, min(size, _LARGEST))


def _read_facts(path: Path, raw: Any) -> _Facts:
    try:
        return _Facts.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))[:60]
        raise BadFile(f"{path} is damaged at {where!r}: {first['msg']}.") from None


def check_same(path: Path, what: str, there: Facts, here: Facts) -> None:
    """Refuse to go on with what was begun under other facts; name the first."""
    for name in dict.fromkeys([*here, *there]):
        was, now = there.get(name, "absent"), here.get(name, "absent")
        if was != now:
            raise MiplError(
                f"{path} is {what}: its {name} is "
                f"{str(was)[:60]}, here it is {str(now)[:60]}; go on with the same, or "
                "delete the file to begin anew."
            )


def _state_arrays(state: TrainingState) -> dict[str, Array]:
    arrays = _named("module", state.module.state_dict())
    arrays |= _named("optimiser", state.optimiser.buffers())
    arrays |= _named("seen", {str(i): value for i, value in enumerate(state.seen)})
    arrays |= _named("own", state.own)
    arrays |= {"label_weights": _array(state.w), "probabilities": _array(state.p)}
    if state.mean_p is not None:
        arrays["mean_probabilities"] = _array(state.mean_p)
    for name in state.records[0] if state.records else ():
        arrays[f"record.{name}"] = np.stack([one[name] for one in state.records])
    return arrays


def _snapshot_arrays(name: str, snapshot: Snapshot | None) -> dict[str, Array]:
    if snapshot is None:
        return {}
    arrays = _named(f"{name}.module", snapshot.values)
    return arrays | {f"{name}.label_weights": _array(snapshot.w)}


def _put_into(state: TrainingState, facts: _Facts, arrays: Mapping[str, Array]) -> None:
    if len(facts.history) != facts.epoch:
        raise ValueError("there is one line of history per epoch.")
    like = state.w
    _refill_all(state.module.state_dict(), _tensors(_under("module", arrays), like))
    buffers = _tensors(_under("optimiser", arrays), like)
    if facts.epoch and not buffers:
        raise ValueError("an optimiser that has taken steps has kept something.")
    state.optimiser.put_back(buffers)
    refill(state.w, torch.tensor(arrays["label_weights"]))
    refill(state.p, torch.tensor(arrays["probabilities"]))
    for name, value in state.own.items():
        refill(value, torch.tensor(arrays[f"own.{name}"]))
    if "mean_probabilities" in arrays:
        state.mean_p = torch.empty_like(like[0])
        refill(state.mean_p, torch.tensor(arrays["mean_probabilities"]))
    state.epoch, state.step = facts.epoch, facts.step
    state.totals, state.history = facts.totals, facts.history
    seen = _tensors(_under("seen", arrays), like)
    state.seen = [seen[str(i)] for i in range(len(seen))]
    state.records = _records(_under("record", arrays))
    if facts.last is not None:
        state.last = _snapshot(_under("last", arrays), facts.last, state)


def _refill_all(targets: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    if targets.keys() != values.keys():
        raise ValueError("the network has other parts than the file.")
    for name, target in targets.items():
        refill(target, values[name])


def _snapshot(
    arrays: Mapping[str, Array], facts: _Snapshot, state: TrainingState
) -> Snapshot:
    now = Snapshot.of(state)
    _refill_all(now.values, _tensors(_under("module", arrays), state.w))
    refill(now.w, torch.tensor(arrays["label_weights"]))
    return replace(now, epoch=facts.epoch)


def _records(arrays: Mapping[str, Array]) -> list[dict[str, Any]]:
    rest = {name: array for name, array in arrays.items() if name != "epoch"}
    return [
        {"epoch": int(epoch)} | {name: array[i] for name, array in rest.items()}
        for i, epoch in enumerate(arrays.get("epoch", ()))
    ]


def _array(value: Tensor) -> Array:
    return value.detach().cpu().numpy()


def _named(prefix: str, values: Mapping[str, Tensor]) -> dict[str, Array]:
    return {f"{prefix}.{name}": _array(value) for name, value in values.items()}


def _under(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    start = f"{prefix}."
    return {
        name.removeprefix(start): array
        for name, array in arrays.items()
        if name.startswith(start)
    }


def _tensors(arrays: Mapping[str, Array], like: Tensor) -> dict[str, Tensor]:
    return {n: torch.tensor(array, device=like.device) for n, array in arrays.items()}
