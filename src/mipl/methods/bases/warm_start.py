"""A warm start: what a fit takes over from the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from mipl.errors import MiplError
from mipl.training.state import Snapshot, TrainingState

if TYPE_CHECKING:
    from mipl.nn.network import BagNetwork


@torch.no_grad()
def go_on(state: TrainingState, past: Mapping[str, Any]) -> None:
    """Give a new state the network, the label weights and the count of the last fit.

    Label weights are left out of the past where the bags are others. The optimiser, and
    all that counts epochs but the draws, is that of a first fit.
    """
    _take_over(state.module, past["module_"])
    if "kept_weights_" in past:
        state.w.copy_(torch.from_numpy(past["kept_weights_"]))
    state.earlier = past["n_iter_"]
    # What a fit goes back to that fails in its first epoch.
    state.last = Snapshot.of(state)


def _take_over(module: BagNetwork, learnt: BagNetwork) -> None:
    new, old = module.state_dict(), learnt.state_dict()
    for name in dict.fromkeys([*old, *new]):
        there, here = (
            tuple(values[name].shape) if name in values else "none"
            for values in (old, new)
        )
        if there != here:
            raise MiplError(
                f"warm_start goes on with the network that was learnt, whose '{name}' "
                f"has the shape {there}, and these arguments and bags make one of "
                f"shape {here}; leave what decides the network as it was, or set "
                "warm_start=False."
            )
    for name, values in new.items():
        values.copy_(old[name])
