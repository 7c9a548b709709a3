"""A fit of a network to batches of bags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from mipl.errors import MiplError
from mipl.nn.dropout import keyed_layers, set_keys
from mipl.seeds import stream
from mipl.training.descent import descent
from mipl.training.record import bag_record, epoch_figures, recorded_bags
from mipl.training.single_fit import FittedMethod, SingleFit
from mipl.training.state import Clock, TrainingState

if TYPE_CHECKING:
    from mipl.nn.network import BagNetwork, Output
    from mipl.training.batches import Batch, BatchSource
    from mipl.training.options import Training

Numbers = npt.NDArray[np.int64]


class NetworkMethod(FittedMethod, Protocol):
    """What a fit of a network asks of its method."""

    def _remember(self, state: TrainingState, source: BatchSource) -> None: ...

    def _settle(self, state: TrainingState, source: BatchSource) -> None: ...


def start(
    module: BagNetwork, weights: npt.NDArray[np.float64], options: Training
) -> TrainingState:
    """Return the state before the first epoch."""
    # A copy: the label weights are written to at every step.
    w = torch.tensor(weights, dtype=options.torch_dtype())
    w = w.to(options.torch_device())
    optimiser = descent(module.parameters(), [options])
    return TrainingState(module, optimiser, w, torch.zeros_like(w))


@dataclass(eq=False, kw_only=True)
class NetworkFit(SingleFit):
    """The training of a network, alone or as one of a stack."""

    method: NetworkMethod
    source: BatchSource
    seed: int
    trained: Numbers  # Numbers of the bags to train on.

    def number(self, epoch: int) -> int:
        """Return the number of an epoch among all: a warm start draws what is new."""
        return self.state.earlier + epoch

    def order(self, epoch: int) -> Numbers:
        """Return the order of the bags in an epoch."""
        number = self.number(epoch) if self.options.order == "new" else 1
        chance = stream(self.seed, "order", number)
        return self.trained[chance.permutation(len(self.trained))]

    def keys(self, epoch: int) -> list[int]:
        """Return a key for what is drawn in each step: never more than bags."""
        chance = stream(self.seed, "dropout", self.number(epoch))
        keys: list[int] = chance.integers(2**62, size=len(self.trained)).tolist()
        return keys

    def drawn(self, epoch: int) -> BatchSource:
        """Return the bags with the instances of an epoch."""
        per_bag = self.options.instances_per_bag
        assert not isinstance(per_bag, str)  # A number was chosen before.
        return self.source.drawing(per_bag, self.seed, self.number(epoch))

    def deal(self, clock: Clock) -> Iterator[Batch]:
        """Give the batches that are left; each comes with the keys of its step."""
        options, layers = self.options, keyed_layers(self.state.module)
        keys = self.keys(clock.epoch)[self.state.step :]
        batches = self.drawn(clock.epoch).deal(
            self.order(clock.epoch),
            options.batch_size,
            options.batch_instances,
            skip=self.state.step,
        )
        for batch, key in zip(batches, keys, strict=False):
            set_keys(layers, key, batch.part)
            yield batch

    def look(self, batch: Batch, clock: Clock) -> Output:
        """Return what the network says about all bags of a batch."""
        return self.team.forward(self.state.module, batch, clock.tau)

    def weights(self, batch: Batch) -> Tensor:
        """Return their label weights."""
        return self.state.w.index_select(0, batch.bags)  # (B, k)

    def keep(self, batch: Batch, w: Tensor, out: Output) -> None:
        """Keep their label weights, and the probabilities before the step."""
        if self.source.weighing is not None and not self.source.weighing.asked:
            raise MiplError(
                f"the loss of {type(self.method).__name__} does not weigh bags "
                "(batch.mean); leave sample_weight and class_weight out."
            )
        self.state.w.index_copy_(0, batch.bags, w)
        self.state.p.index_copy_(0, batch.bags, out.p.detach())

    def n_bags(self) -> int:
        """Return the number of bags of an epoch."""
        return len(self.trained)

    def write_down(self, terms: dict[str, float], clock: Clock) -> None:
        """Append loss terms, schedules and margins, and what is to be recorded."""
        state, options = self.state, self.options
        # Bags that are not trained on have no probabilities.
        weighing = self.source.weighing
        p = state.p if weighing is None else state.p * weighing.values.unsqueeze(1)
        state.mean_p = p.sum(dim=0) / len(self.trained)
        candidates = self.source.candidates.cpu().numpy()
        lr = options.learning_rate(clock.epoch)
        figures = epoch_figures(state, candidates, self.trained, terms, clock, lr)
        state.history.append(figures)
        recorded = recorded_bags(options.record_bags, len(self.source))
        if recorded:
            state.records.append(bag_record(state, candidates, recorded))

    def remember(self) -> None:
        """Give the estimator what predictions need, as of the last epoch."""
        self.method._remember(self.state, self.source)

    def settle(self) -> None:
        """Give the estimator what the training has ended with."""
        self.method._settle(self.state, self.source)
