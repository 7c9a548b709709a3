"""What a bag's candidates and non-candidates hold of the probability."""

import torch
from torch import Tensor


def candidate_mass(p: Tensor, candidates: Tensor) -> Tensor:
    """Return the l1 norm of p on the candidates: (..., B, k) -> (..., B).

    Examples
    --------
    >>> p = torch.tensor([[0.5, 0.2, 0.3]])
    >>> candidate_mass(p, torch.tensor([[True, True, False]]))
    tensor([0.7000])
    """
    return p.masked_fill(~candidates, 0.0).sum(dim=-1)


def inhibition_loss(log_p: Tensor, candidates: Tensor) -> Tensor:
    """Return -sum log(1 - p_c) over the non-candidates: (..., B, k) -> (..., B).

    1 - p_c is taken as the sum of the other probabilities, so that the loss and its
    gradient stay finite where a non-candidate has nearly all.

    Examples
    --------
    >>> log_p = torch.tensor([[0.5, 0.2, 0.3]]).log()
    >>> inhibition_loss(log_p, torch.tensor([[True, True, False]]))
    tensor([0.3567])
    """
    k = log_p.shape[-1]
    if k == 1:
        return torch.zeros_like(log_p[..., 0])
    itself = torch.eye(k, dtype=torch.bool, device=log_p.device)
    others = log_p.unsqueeze(-2).masked_fill(itself, -torch.inf)  # (..., B, k, k)
    return -others.logsumexp(dim=-1).masked_fill(candidates, 0.0).sum(dim=-1)
