"""Label weights: how they are restricted to candidates, shared out, and moved."""

import torch
from torch import Tensor

_FLOOR = 1e-8  # The published program's, added once per class.


def on_candidates(p: Tensor, candidates: Tensor) -> Tensor:
    """Restrict probabilities to the candidates and renormalise: rows on the simplex.

    Where all candidates have probability zero, they share the weight.
    """
    kept = p * candidates  # (..., B, k)
    lost = kept.sum(dim=-1, keepdim=True) <= 1e-30
    kept = kept + (candidates & lost)
    return kept / kept.sum(dim=-1, keepdim=True)


def momentum_update(w: Tensor, p: Tensor, candidates: Tensor, alpha: float) -> Tensor:
    """Return alpha w + (1 - alpha) p restricted to the candidates, as constants.

    Examples
    --------
    >>> w, p = torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[0.6, 0.2, 0.2]])
    >>> momentum_update(w, p, torch.tensor([[True, True, False]]), 0.5)
    tensor([[0.6250, 0.3750, 0.0000]])
    """
    return torch.lerp(on_candidates(p.detach(), candidates), w, alpha)


def confidence_update(w: Tensor, p: Tensor, candidates: Tensor, keep: float) -> Tensor:
    """Return keep w + (1 - keep) p on the candidates, as constants.

    Rows sum to less than one where non-candidates hold probability.

    Examples
    --------
    >>> import torch
    >>> w, p = torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[0.6, 0.2, 0.2]])
    >>> confidence_update(w, p, torch.tensor([[True, True, False]]), 0.5)
    tensor([[0.5500, 0.3500, 0.0000]])
    """
    return keep * w + (1 - keep) * p.detach() * candidates


def on_both_sides(p: Tensor, candidates: Tensor) -> Tensor:
    """Return p normalised on the candidates, and beside them on the others.

    The weights of the others are 0 where there are none.

    Examples
    --------
    >>> import torch
    >>> p = torch.tensor([[0.6, 0.2, 0.1, 0.1]])
    >>> on_both_sides(p, torch.tensor([[True, True, False, False]]))
    tensor([[0.7500, 0.2500, 0.5000, 0.5000]])
    """
    return _share(p * candidates) + _share(p * ~candidates)


def _share(kept: Tensor) -> Tensor:
    return kept / (kept + _FLOOR).sum(dim=-1, keepdim=True)


def copies(w: Tensor, candidates: Tensor) -> Tensor:
    """Return how often each bag is given with each label: (..., B, k) twice -> same.

    Where the weights are even, once with each of its |S| candidates: a loss weighted by
    this is the sum of the losses of all copies. Uneven weights share out the same |S|.

    Examples
    --------
    >>> import torch
    >>> copies(torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[True, True, False]]))
    tensor([[1., 1., 0.]])
    """
    return w * candidates.sum(dim=-1, keepdim=True)


def purified(recent: Tensor, kept: Tensor, theta: Tensor) -> tuple[Tensor, Tensor]:
    """Drop the candidates whose mean weight is below theta times the largest.

    Parameters
    ----------
    recent : (T, m, k)
        Label weights of the last epochs.
    kept : (m, k) bool
        Candidates that are left.
    theta : (1,)

    Returns
    -------
    w : (m, k)
        Mean weights of the candidates that are left now; rows sum to 1.
    kept : (m, k) bool
        The strongest candidate of a row always stays.

    Examples
    --------
    >>> import torch
    >>> recent, kept = torch.tensor([[[0.8, 0.1, 0.1]]]), torch.ones(1, 3).bool()
    >>> purified(recent, kept, torch.tensor([0.2]))
    (tensor([[1., 0., 0.]]), tensor([[ True, False, False]]))
    """
    mean = on_candidates(recent.mean(dim=0), kept)  # (m, k)
    strong = mean >= theta * mean.amax(dim=1, keepdim=True)
    kept = kept & strong
    return on_candidates(mean, kept), kept
