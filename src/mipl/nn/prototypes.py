"""What a training finds beside its gradients: places of each class, and a metric.

Both are buffers, not parameters. Where several runs are stacked, these have a first
axis of runs, and the rows of all runs lie one after another.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

_FLOOR = 1e-6  # Of the eigenvalues of a metric, as in the published program.


class Prototypes(nn.Module):
    """P places of each class among the scaled instances; zeros before they are found.

    Parameters
    ----------
    n_classes, each, d : int
        The numbers k and P, and the length of an instance.
    """

    def __init__(self, n_classes: int, each: int, d: int) -> None:
        super().__init__()
        self.register_buffer("places", torch.zeros(n_classes, each, d))

    def forward(self) -> Tensor:
        """Return them as rows, class by class."""
        places = self.get_buffer("places")
        return places.flatten(0, -2)  # (k P, d) or (S k P, d)


class Metric(nn.Module):
    """A symmetric map of embedded instances, R; the identity before it is learnt."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("root", torch.eye(width))

    def forward(self, h: Tensor) -> Tensor:
        """Return h R of each row."""
        root = self.get_buffer("root")  # (L, L) or (S, L, L)
        if root.ndim == 2:
            return h @ root
        of_runs = h.view(len(root), -1, h.shape[1])
        return torch.bmm(of_runs, root).flatten(0, 1)

    @torch.no_grad()
    def learn(self, outer: Tensor, momentum: float) -> None:
        """Let M = R R become momentum M + (1 - momentum) outer."""
        root = self.get_buffer("root")
        root.copy_(metric_root(torch.lerp(outer, root @ root, momentum)))


def metric_root(metric: Tensor) -> Tensor:
    """Return the symmetric square root of a metric whose eigenvalues are at least 1e-6.

    Examples
    --------
    >>> metric_root(torch.tensor([[4.0, 0.0], [0.0, 0.0]])).diagonal().tolist()
    [2.0, 0.0010000000474974513]
    """
    # Once a round, on the CPU in float64: not every device has both.
    values, vectors = torch.linalg.eigh(metric.cpu().double())
    roots = values.clamp_min(_FLOOR).sqrt()
    found: Tensor = (vectors * roots) @ vectors.T
    return found.to(metric)


def outer_product(weight: Tensor) -> Tensor:
    """Return W' W, the outer product of the gradients of linear logits: (L, L).

    Examples
    --------
    >>> outer_product(torch.tensor([[1.0, 2.0]]))
    tensor([[1., 2.],
            [2., 4.]])
    """
    return weight.T @ weight


def softmax_outer_product(weight: Tensor, p: Tensor) -> Tensor:
    """Return the mean of J' J, J = (diag(p) - p p') W the gradient of p: (L, L).

    Bags without probabilities, rows of zeros, do not count.

    Parameters
    ----------
    weight : (k, L)
    p : (m, k)

    Examples
    --------
    >>> even = torch.tensor([[0.5, 0.5], [0.0, 0.0]])
    >>> softmax_outer_product(torch.tensor([[1.0], [-1.0]]), even)
    tensor([[0.5000]])
    """
    slopes = torch.diag_embed(p) - p.unsqueeze(2) * p.unsqueeze(1)  # (m, k, k)
    total = torch.einsum("mij,mil->jl", slopes, slopes)  # (k, k)
    return weight.T @ (total / p.sum()) @ weight
