"""Parts of a graph: what stands around networks, as functions of flat bags."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from mipl.nn.network import BagNetwork
from mipl.nn.traced_bags import TracedOutput, TracedSegments


@dataclass(frozen=True, eq=False)
class Said:
    """What a part says; None where the method has no such thing."""

    log_p: Tensor  # (m, k)
    attention: Tensor | None = None  # (N,)
    instance_p: Tensor | None = None  # (N, k)


Asked = Callable[[TracedOutput], Tensor]


class NetworkPart(nn.Module):
    """One trained network, and what its method makes of what it sees.

    Parameters
    ----------
    network : BagNetwork
    tau : float
    log_p, attention, instance_log_p : functions of a TracedOutput
        The last two may be None.
    """

    def __init__(
        self,
        network: BagNetwork,
        tau: float,
        log_p: Asked,
        attention: Asked | None,
        instance_log_p: Asked | None,
    ) -> None:
        super().__init__()
        self.network, self.tau = network, tau
        self.log_p, self.attention = log_p, attention
        self.instance_log_p = instance_log_p

    def forward(self, x: Tensor, bags: TracedSegments) -> Said:
        """Look at all bags at once."""
        seen = TracedOutput(self.network, x, bags, self.tau)
        return Said(
            self.log_p(seen),
            None if self.attention is None else self.attention(seen),
            None if self.instance_log_p is None else self.instance_log_p(seen).exp(),
        )


class CalibratedPart(nn.Module):
    """A part whose probabilities have a temperature.

    Parameters
    ----------
    part : module
    temperature : float
    """

    def __init__(self, part: nn.Module, temperature: float) -> None:
        super().__init__()
        self.part, self.temperature = part, temperature

    def forward(self, x: Tensor, bags: TracedSegments) -> Said:
        """Normalise what the part says."""
        said = self.part(x, bags)
        log_p = torch.log_softmax(said.log_p / self.temperature, dim=1)
        return Said(log_p, said.attention, said.instance_p)


class VectorsPart(nn.Module):
    """A part on bags that are reduced to one vector each.

    Parameters
    ----------
    inner : module
    reduction : {"mean", "maxmin"}
    """

    def __init__(self, inner: nn.Module, reduction: str) -> None:
        super().__init__()
        self.inner, self.reduction = inner, reduction

    def forward(self, x: Tensor, bags: TracedSegments) -> Said:
        """Reduce the bags, and let the part look at the vectors."""
        if self.reduction == "mean":
            # A long sum of float32 loses digits.
            vectors = bags.mean(x.double()).to(x.dtype)
        else:
            vectors = torch.cat([bags.max(x), -bags.max(-x)], dim=1)
        each = torch.arange(vectors.shape[0] + 1, device=x.device)
        said = self.inner(vectors, TracedSegments.between(each, vectors))
        return Said(said.log_p)


class MeanPart(nn.Module):
    """Several parts whose probabilities, attention and scores are averaged.

    Parameters
    ----------
    members : sequence of modules
    """

    def __init__(self, members: Sequence[nn.Module]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, x: Tensor, bags: TracedSegments) -> Said:
        """Average what the members say."""
        said = [member(x, bags) for member in self.members]
        n = x.new_tensor(float(len(said)))
        return Said(
            torch.logsumexp(torch.stack([s.log_p for s in said]), dim=0) - n.log(),
            _mean([s.attention for s in said]),
            _mean([s.instance_p for s in said]),
        )


class LearnersPart(nn.Module):
    """A learner per class, each of which says yes or no.

    Parameters
    ----------
    learners : mapping of int to module
        By class.
    constant : sequence of float
        What is said of a class without a learner.
    lowest : bool
        Whether a bag that all say no to goes to the one that is least sure of it.
    of_instances : bool
    """

    def __init__(
        self,
        learners: Mapping[int, nn.Module],
        constant: Sequence[float],
        lowest: bool,
        of_instances: bool,
    ) -> None:
        super().__init__()
        self.learners = nn.ModuleDict({str(c): one for c, one in learners.items()})
        self.constant = list(map(float, constant))
        self.lowest, self.of_instances = lowest, of_instances

    def forward(self, x: Tensor, bags: TracedSegments) -> Said:
        """Ask every learner."""
        like = bags.sizes.to(x.dtype)
        p = [torch.full_like(like, value) for value in self.constant]
        each = [torch.full_like(x[:, 0], value) for value in self.constant]
        asked = torch.zeros(len(p), dtype=x.dtype)
        for name, learner in self.learners.items():
            said, c = learner(x, bags), int(name)
            p[c] = said.log_p[:, 1].exp()
            if said.instance_p is not None:
                each[c] = said.instance_p[:, 1]
            asked[c] = 1.0
        answers = torch.stack(p, dim=1)  # (m, k)
        if self.lowest:
            none = answers.amax(dim=1, keepdim=True) <= 0.5
            answers = torch.where(none, asked * (1 - answers), answers)
        answers = answers + torch.finfo(x.dtype).tiny
        log_p = answers.log() - answers.sum(dim=1, keepdim=True).log()
        scores = torch.stack(each, dim=1) if self.of_instances else None
        return Said(log_p, None, scores)


def _mean(values: list[Tensor | None]) -> Tensor | None:
    known = [value for value in values if value is not None]
    return torch.stack(known).mean(dim=0) if len(known) == len(values) else None
