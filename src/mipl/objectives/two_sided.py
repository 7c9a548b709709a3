"""Label weights on both sides: of the candidates, and of the other labels."""

from torch import Tensor

_FLOOR = 1e-8  # The published program's, added once per class.


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
