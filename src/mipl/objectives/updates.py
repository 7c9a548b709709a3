"""Updates of the label weights."""

import torch
from torch import Tensor


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
