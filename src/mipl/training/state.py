"""What moves during training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from torch import Tensor

if TYPE_CHECKING:
    from mipl.nn.network import BagNetwork


@dataclass(frozen=True)
class Clock:
    """Where the training stands, and what follows from it.

    ``seen`` holds what a loss keeps from the earlier batches of the same epoch, ``own``
    what a method keeps from the earlier epochs, and ``mean_p`` the mean probabilities
    of the classes in the last epoch; an interrupted run finds all of them again.
    """

    epoch: int  # 1..epochs
    epochs: int
    tau: float = 1.0
    alpha: float = 1.0
    seen: list[Tensor] = field(default_factory=list)
    own: dict[str, Tensor] = field(default_factory=dict)
    mean_p: Tensor | None = None  # (k,)


def refill(target: Tensor, values: Tensor) -> None:
    """Copy numbers into a tensor of the same shape and type, and no other."""
    if target.shape != values.shape or target.dtype != values.dtype:
        raise ValueError(
            f"{tuple(target.shape)} numbers of {target.dtype} are needed; got "
            f"{tuple(values.shape)} of {values.dtype}."
        )
    target.copy_(values)


class Optimiser(Protocol):
    """What the loop and a checkpoint ask of an optimiser."""

    @property
    def parameters(self) -> Sequence[Tensor]:
        """What it moves, in the order of the gradients."""
        ...

    def start_epoch(self, epoch: int) -> None:
        """Take the learning rates of an epoch."""
        ...

    def end_epoch(self, epoch: int) -> None:
        """Leave the parameters as predictions are to use them.

        It forgets the steps so far where another round follows.
        """
        ...

    def descend(self, gradients: Sequence[Tensor | None]) -> None:
        """Take one step; what the loss does not know has no gradient."""
        ...

    def buffers(self) -> dict[str, Tensor]:
        """Return the numbers that it keeps between steps, by name."""
        ...

    def put_back(self, buffers: Mapping[str, Tensor]) -> None:
        """Go on from what ``buffers`` has returned."""
        ...


@dataclass(eq=False)
class TrainingState:
    """Network, optimiser, label weights and what was done so far."""

    module: BagNetwork
    optimiser: Optimiser
    w: Tensor  # (m, k) label weights
    p: Tensor  # (m, k) probabilities when each bag was last visited
    epoch: int = 0  # finished ones
    earlier: int = 0  # of the fits that this one goes on from
    history: list[dict[str, float]] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    last: Snapshot | None = None  # of the last finished epoch
    mean_p: Tensor | None = None  # (k,) over the bags, in that epoch
    own: dict[str, Tensor] = field(default_factory=dict)  # what else a method keeps
    # Of the epoch that is not finished yet:
    step: int = 0
    totals: dict[str, float] = field(default_factory=dict)
    seen: list[Tensor] = field(default_factory=list)

    def finish_epoch(self) -> None:
        """Count an epoch whose steps are all done."""
        self.epoch, self.step, self.totals, self.seen = self.epoch + 1, 0, {}, []
        self.last = Snapshot.of(self)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Network and label weights as they were after an epoch."""

    epoch: int
    values: dict[str, Tensor]
    w: Tensor

    @classmethod
    def of(cls, state: TrainingState) -> Snapshot:
        """Copy what a state is now."""
        values = {n: value.clone() for n, value in state.module.state_dict().items()}
        return cls(state.epoch, values, state.w.clone())

    def restore(self, state: TrainingState) -> None:
        """Put a state back to this."""
        state.module.load_state_dict(self.values)
        state.w.copy_(self.w)
        state.epoch = self.epoch
