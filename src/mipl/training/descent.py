"""The optimiser that training settings name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from torch import nn

from mipl.training.flat_adam import FlatAdam
from mipl.training.sgd import FlatSGD

if TYPE_CHECKING:
    from mipl.training.flat import FlatDescent
    from mipl.training.options import Training

_KINDS = {"sgd": FlatSGD, "adam": FlatAdam, "adamw": FlatAdam}


def descent(
    parameters: Iterable[nn.Parameter], options: Sequence[Training]
) -> FlatDescent:
    """Return the optimiser of one run, or of several that share its kind."""
    return _KINDS[options[0].optimiser](parameters, options)
