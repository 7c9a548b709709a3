"""Updates of the label weights."""

from torch import Tensor


def on_candidates(p: Tensor, candidates: Tensor) -> Tensor:
    """Restrict probabilities to the candidates and renormalise: rows on the simplex.

    Where all candidates have probability zero, they share the weight.
    """
    kept = p.masked_fill(~candidates, 0.0)  # (..., B, k)
    total = kept.sum(dim=-1, keepdim=True)
    uniform = candidates.to(p) / candidates.sum(dim=-1, keepdim=True)
    return (kept / total.clamp_min(1e-30)).where(total > 1e-30, uniform)


def momentum_update(w: Tensor, p: Tensor, candidates: Tensor, alpha: float) -> Tensor:
    """Return alpha w + (1 - alpha) p restricted to the candidates, as constants.

    Examples
    --------
    >>> import torch
    >>> w, p = torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[0.6, 0.2, 0.2]])
    >>> momentum_update(w, p, torch.tensor([[True, True, False]]), 0.5)
    tensor([[0.6250, 0.3750, 0.0000]])
    """
    return alpha * w + (1 - alpha) * on_candidates(p.detach(), candidates)
