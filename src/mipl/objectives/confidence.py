"""Label weights as a confidence that is not renormalised."""

from torch import Tensor


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
