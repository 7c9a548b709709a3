"""BagGraph: a fitted model as one function of instances and offsets.

Whatever stands around a network belongs to the graph: scaling, the reduction of bags to
vectors, the members of an ensemble, the learners of classes, the temperature.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mipl.methods.bases.base import BagClassifier
from mipl.methods.bases.partial import PartialLabelClassifier
from mipl.nn.traced_bags import TracedSegments

PROBABILITIES = "probabilities"
ATTENTION = "attention"
INSTANCE_SCORES = "instance_scores"
UNCALIBRATED = "uncalibrated"


class BagGraph(nn.Module):
    """What a model says of bags, as a tuple of tensors in the order of ``outputs``.

    Parameters
    ----------
    model : BagClassifier
        A fitted one of a network, or a wrapper of such.

    Attributes
    ----------
    outputs : tuple of str
        ``probabilities`` (m, k); ``attention`` (N,) and ``instance_scores`` (N, k)
        where the method has them; ``uncalibrated`` (m, k) where it was calibrated.
    """

    def __init__(self, model: BagClassifier) -> None:
        super().__init__()
        self.part = model._as_graph()
        self.temperature = float(model.temperature_)
        self.outputs = outputs_of(model)

    def forward(self, instances: Tensor, offsets: Tensor) -> tuple[Tensor, ...]:
        """Return the outputs for bags ``instances[offsets[i]:offsets[i + 1]]``."""
        said = self.part(instances, TracedSegments.between(offsets, instances))
        found: dict[str, Tensor | None] = {
            PROBABILITIES: torch.softmax(said.log_p / self.temperature, dim=1),
            ATTENTION: said.attention,
            INSTANCE_SCORES: said.instance_p,
            UNCALIBRATED: torch.softmax(said.log_p, dim=1),
        }
        values = [found[name] for name in self.outputs]
        assert all(value is not None for value in values)
        return tuple(values)  # type: ignore[arg-type]


def outputs_of(model: BagClassifier) -> tuple[str, ...]:
    """Return the names of what the graph of a fitted model says."""
    calibrated = model.temperature_ != 1.0 or model.conformal_ is not None
    said = {
        PROBABILITIES: True,
        ATTENTION: hasattr(model, "attend"),
        INSTANCE_SCORES: hasattr(model, "predict_instances"),
        UNCALIBRATED: calibrated,
    }
    return tuple(name for name, there in said.items() if there)


def takes_vectors(model: BagClassifier) -> bool:
    """Tell whether a model takes bags of one instance alone."""
    return isinstance(model, PartialLabelClassifier)
