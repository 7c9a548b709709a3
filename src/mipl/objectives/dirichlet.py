"""Candidate labels of instances as Dirichlet concentrations, in a logarithmic space.

Every instance of a bag may have one of its bag's candidates, or be negative: the last
of the q + 1 columns.
"""

from __future__ import annotations

import torch
from torch import Tensor

from mipl.nn.segments import Segments


def with_negative(
    candidates: Tensor, w: Tensor, bags: Segments
) -> tuple[Tensor, Tensor]:
    """Return the labels each instance may have, and their weights: (N, q + 1) twice.

    The negative class weighs as much as a candidate does on average: one over the
    size of the set and one.

    Examples
    --------
    >>> sets, one = torch.tensor([[True, True, False]]), Segments.of(torch.tensor([1]))
    >>> with_negative(sets, sets / 2, one)[1]
    tensor([[0.3333, 0.3333, 0.0000, 0.3333]])
    """
    sizes = candidates.sum(dim=1, keepdim=True)
    negative = torch.ones_like(sizes, dtype=torch.bool)
    share = 1 / (sizes + 1).to(w)
    sets = torch.cat([candidates, negative], dim=1)
    weights = torch.cat([w * (1 - share), share], dim=1)
    return bags.spread(sets), bags.spread(weights)


def softmax_on(outputs: Tensor, sets: Tensor) -> Tensor:
    """Return the softmax of outputs over the labels that an instance may have.

    Examples
    --------
    >>> softmax_on(torch.zeros(1, 3), torch.tensor([[True, False, True]]))
    tensor([[0.5000, 0.0000, 0.5000]])
    """
    return outputs.masked_fill(~sets, -torch.inf).softmax(dim=-1)


def tied(w: Tensor, outputs: Tensor) -> Tensor:
    """Return w itself, with the gradient of a softmax: as if outputs had given it.

    Examples
    --------
    >>> f = torch.zeros(2, requires_grad=True)
    >>> tied(torch.tensor([[0.5, 0.5]]), f)[0, 0].backward()
    >>> f.grad
    tensor([ 0.2500, -0.2500])
    """
    nothing = outputs - outputs.detach()
    return w + w * (nothing - (w * nothing).sum(dim=1, keepdim=True))


def lognormal(alpha: Tensor) -> tuple[Tensor, Tensor]:
    """Return targets and variances of the log-normals that match Gamma(alpha, 1).

    Examples
    --------
    >>> y, variance = lognormal(torch.tensor([1.0]))
    >>> [round(float(v), 4) for v in (y, variance)]
    [-0.3466, 0.6931]
    """
    variance = torch.log(1 / alpha + 1)
    return alpha.log() - variance / 2, variance
