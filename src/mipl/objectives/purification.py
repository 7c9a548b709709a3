"""Purification: candidates that stay weak are dropped for good."""

from torch import Tensor

from mipl.objectives.updates import on_candidates


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
