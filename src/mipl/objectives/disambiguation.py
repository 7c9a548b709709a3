"""Disambiguation: losses on candidate labels, their margins, and the label weights.

Losses and margins are of each bag; a method weighs and averages them. Label weights are
constants to the gradient, and lie on the candidates unless a method says otherwise.
"""

from __future__ import annotations

import torch
from torch import Tensor

from mipl.errors import MiplError

_LOG_FLOOR = 1e-8  # Of LWS and HFC-MIPL, as published, inside their logarithms.
_FACTOR_FLOOR = 1e-6  # Of CDL's factor: a power below one keeps a finite slope.
_SPREAD_FLOOR = 0.05  # Of 1 - std: a spread of one stays finite and keeps a gradient.
_PROBABILITY_FLOOR = 1e-10  # Of AGOPMIPL, as published, inside its logarithms.
_SHARE_FLOOR = 1e-8  # Of LWS, as published, added once per class.


def weighted_log_loss(log_p: Tensor, w: Tensor) -> Tensor:
    """Return -sum_c w_c log p_c of each bag: (..., B, k) twice -> (..., B).

    A label of weight zero contributes nothing, even where its probability is zero.

    Examples
    --------
    >>> log_p = torch.tensor([[0.5, 0.5, 0.0]]).log()
    >>> weighted_log_loss(log_p, torch.tensor([[1.0, 0.0, 0.0]]))
    tensor([0.6931])
    """
    return -(w * log_p.masked_fill(w == 0, 0.0)).sum(dim=-1)


def candidate_log_loss(log_p: Tensor, candidates: Tensor) -> Tensor:
    """Return -log sum_{c in S} p_c of each bag: (..., B, k) twice -> (..., B).

    Examples
    --------
    >>> log_p = torch.tensor([[0.25, 0.25, 0.5]]).log()
    >>> candidate_log_loss(log_p, torch.tensor([[True, True, False]]))
    tensor([0.6931])
    """
    return -log_p.masked_fill(~candidates, -torch.inf).logsumexp(dim=-1)


def candidate_mass(p: Tensor, candidates: Tensor) -> Tensor:
    """Return the l1 norm of p on the candidates: (..., B, k) -> (..., B).

    Examples
    --------
    >>> p = torch.tensor([[0.5, 0.2, 0.3]])
    >>> candidate_mass(p, torch.tensor([[True, True, False]]))
    tensor([0.7000])
    """
    return p.masked_fill(~candidates, 0.0).sum(dim=-1)


def floored_log(p: Tensor) -> Tensor:
    """Return log(p + 1e-10), whose slope is finite where a probability is 0.

    Examples
    --------
    >>> floored_log(torch.tensor([1.0, 0.0]))
    tensor([  0.0000, -23.0259])
    """
    return torch.log(p + _PROBABILITY_FLOOR)


def candidate_entropy(p: Tensor, candidates: Tensor) -> Tensor:
    """Return the entropy of p renormalised on the candidates: (..., B, k) -> (..., B).

    Examples
    --------
    >>> p = torch.tensor([[0.4, 0.4, 0.2]])
    >>> candidate_entropy(p, torch.tensor([[True, True, False]]))
    tensor([0.6931])
    """
    r = on_candidates(p, candidates)
    return -(r * floored_log(r)).sum(dim=-1)


def focusing_entropy(a: Tensor) -> Tensor:
    """Return -u log(u + 1e-8) of each attention, u = a^1.5: (N,) -> (N,).

    Examples
    --------
    >>> focusing_entropy(torch.tensor([0.0, 0.5, 1.0])).abs()
    tensor([0.0000, 0.3676, 0.0000])
    """
    u = a**1.5
    return -u * torch.log(u + _LOG_FLOOR)


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


def best_and_next(
    p: Tensor, candidates: Tensor, contrast: str
) -> tuple[Tensor, Tensor]:
    """Return the best candidate's probability and what it is compared with.

    That is the second best candidate ("cc") or the best non-candidate ("cn"); 0 where
    there is none. (..., B, k) -> (..., B) twice.

    Examples
    --------
    >>> p, sets = torch.tensor([[0.5, 0.2, 0.3]]), torch.tensor([[True, True, False]])
    >>> [float(best_and_next(p, sets, kind)[1]) for kind in ("cc", "cn")]
    [0.20..., 0.30...]
    """
    inside = p.masked_fill(~candidates, 0.0)
    if contrast == "cn":
        return inside.amax(dim=-1), p.masked_fill(candidates, 0.0).amax(dim=-1)
    inside = torch.cat([inside, torch.zeros_like(inside[..., :1])], dim=-1)
    best, second = inside.topk(2, dim=-1).values.unbind(dim=-1)
    return best, second


def calibratable_loss(
    log_p: Tensor, w: Tensor, candidates: Tensor, contrast: str, gamma: float
) -> Tensor:
    """Return -(1 - best + next)^gamma sum_c w_c log p_c of each bag.

    A bag whose label is settled counts less; the gradient flows through the factor.
    """
    best, other = best_and_next(log_p.exp(), candidates, contrast)
    factor = (1 - best + other).clamp_min(_FACTOR_FLOOR) ** gamma
    return factor * weighted_log_loss(log_p, w)


def sigmoid_pair(z: Tensor) -> tuple[Tensor, Tensor]:
    """Return the losses of each label as a candidate and as none, of its logit.

    Examples
    --------
    >>> [round(float(v), 4) for v in sigmoid_pair(torch.tensor(1.0))]
    [0.2689, 0.7311]
    """
    return torch.sigmoid(-z), torch.sigmoid(z)


def log_pair(p: Tensor) -> tuple[Tensor, Tensor]:
    """Return the losses of each label as a candidate and as none, of its probability.

    Examples
    --------
    >>> [round(float(v), 4) for v in log_pair(torch.tensor(0.25))]
    [1.3863, 0.2877]
    """
    return -torch.log(p + _LOG_FLOOR), -torch.log(1 - p + _LOG_FLOOR)


def leveraged(
    pair: tuple[Tensor, Tensor], w: Tensor, candidates: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the weighted losses of candidates and of others: (..., B, k) -> (..., B).

    A full candidate set has no others, whose loss is then 0.

    Examples
    --------
    >>> pair = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[4.0, 5.0, 6.0]])
    >>> w = torch.tensor([[0.5, 0.5, 1.0]])
    >>> leveraged(pair, w, torch.tensor([[True, True, False]]))
    (tensor([1.5000]), tensor([6.]))
    """
    inside, outside = pair
    return (
        (w * inside).masked_fill(~candidates, 0.0).sum(dim=-1),
        (w * outside).masked_fill(candidates, 0.0).sum(dim=-1),
    )


def label_margin(p: Tensor, candidates: Tensor) -> Tensor:
    """Return best candidate minus best non-candidate probability: (..., k) -> (...).

    A full candidate set has no non-candidate, whose probability then counts as 0.

    Examples
    --------
    >>> p = torch.tensor([[0.5, 0.2, 0.3]])
    >>> label_margin(p, torch.tensor([[True, True, False]]))
    tensor([0.2000])
    """
    best = p.masked_fill(~candidates, 0.0).max(dim=-1).values
    other = p.masked_fill(candidates, 0.0).max(dim=-1).values
    return best - other


def margin_violation(p: Tensor, candidates: Tensor, scale: float = 1.0) -> Tensor:
    """Return phi = scale (1 - margin) of each bag."""
    return scale * (1 - label_margin(p, candidates))


def mean_and_spread(
    phi: Tensor, seen: Tensor | None = None, ddof: int = 0
) -> tuple[Tensor, Tensor]:
    """Return mean and standard deviation of phi, together with values seen before.

    They are those of the last axis, the bags of a batch: (..., B) -> (...), (...).

    ``seen`` enters as numbers, without gradient. Of one value the spread is 0.
    """
    values = phi if seen is None else torch.cat([seen.detach(), phi], dim=-1)
    count = max(values.shape[-1] - ddof, 1)
    mean = values.mean(dim=-1, keepdim=True)
    # The gradient of a length is 0 at 0, where that of a square root is infinite.
    length = torch.linalg.vector_norm(values - mean, dim=-1)
    return mean.squeeze(-1), length / count**0.5


def weighted_mean_and_spread(
    phi: Tensor, weights: Tensor, ddof: int = 0
) -> tuple[Tensor, Tensor]:
    """Return mean and standard deviation of phi, each value counted by its weight.

    Examples
    --------
    >>> phi, weights = torch.tensor([1.0, 4.0]), torch.tensor([2.0, 1.0])
    >>> [round(float(x), 4) for x in weighted_mean_and_spread(phi, weights)]
    [2.0, 1.4142]
    """
    total = weights.sum(dim=-1, keepdim=True)
    mean = (weights * phi).sum(dim=-1, keepdim=True) / total
    length = torch.linalg.vector_norm(weights.sqrt() * (phi - mean), dim=-1)
    n = phi.shape[-1]
    count = total.squeeze(-1) * max(n - ddof, 1) / n
    return mean.squeeze(-1), length / count.sqrt()


def margin_distribution_loss(
    phi: Tensor,
    seen: Tensor | None = None,
    ddof: int = 0,
    weights: Tensor | None = None,
) -> Tensor:
    """Return mean(phi) / (1 - std(phi)) of a batch, where weights count bags.

    Examples
    --------
    >>> margin_distribution_loss(torch.tensor([0.5, 0.5]))
    tensor(0.5000)
    >>> margin_distribution_loss(torch.tensor([0.3, 0.7]))
    tensor(0.6250)
    """
    if weights is not None:
        if seen is not None:
            raise MiplError(
                "margins over a whole epoch cannot be weighed; take margin='batch', or "
                "leave sample_weight and class_weight out."
            )
        mean, spread = weighted_mean_and_spread(phi, weights, ddof)
        return mean / (1 - spread).clamp_min(_SPREAD_FLOOR)
    mean, spread = mean_and_spread(phi, seen, ddof)
    return mean / (1 - spread).clamp_min(_SPREAD_FLOOR)


def counted_margin_loss(
    phi: Tensor, counted: Tensor, weights: Tensor | None = None
) -> Tensor:
    """Return mean(phi) / (1 - std(phi)) of the bags that count, 0 of fewer than two.

    Examples
    --------
    >>> phi, counted = torch.tensor([0.3, 9.0, 0.7]), torch.tensor([True, False, True])
    >>> counted_margin_loss(phi, counted)
    tensor(0.6250)
    """
    n = counted.sum(dim=-1).to(phi.dtype)
    if weights is not None:
        each = (weights * counted).clamp_min(torch.finfo(phi.dtype).tiny)
        middle, off = weighted_mean_and_spread(phi, each)
        return middle.where(n > 1, 0.0) / (1 - off).clamp_min(_SPREAD_FLOOR)
    some = n.clamp_min(1)
    mean = phi.masked_fill(~counted, 0.0).sum(dim=-1) / some
    gaps = (phi - mean.unsqueeze(-1)).masked_fill(~counted, 0.0)
    spread: Tensor = torch.linalg.vector_norm(gaps, dim=-1) / some.sqrt()
    return mean.where(n > 1, 0.0) / (1 - spread).clamp_min(_SPREAD_FLOOR)


def single_bag_margin_loss(phi: Tensor, ddof: int = 1) -> Tensor:
    """Return the loss of the statistics of {0, phi}, bag by bag.

    The published program keeps a list of violations that it never fills, so that each
    bag is compared with a zero: with ddof 1, (phi / 2) / (1 - phi / sqrt 2).
    """
    spread = phi.abs() / (2.0 if ddof == 0 else 2**0.5)
    return phi / 2 / (1 - spread).clamp_min(_SPREAD_FLOOR)


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
    return kept / (kept + _SHARE_FLOOR).sum(dim=-1, keepdim=True)


def copies(w: Tensor, candidates: Tensor) -> Tensor:
    """Return how often each bag is given with each label: (..., B, k) twice -> same.

    Where the weights are even, once with each of its candidates: a loss weighted by
    this is the sum of the losses of all copies. Uneven weights share out as many.

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


def falling_alpha(t: int, epochs: int, lag: int) -> float:
    """Return (T - t + lag) / T: lag 0 is the papers' schedule, 1 the programs'.

    Examples
    --------
    >>> [falling_alpha(t, 2, lag=0) for t in (1, 2)]
    [0.5, 0.0]
    >>> [falling_alpha(t, 2, lag=1) for t in (1, 2)]
    [1.0, 0.5]
    """
    return (epochs - t + lag) / epochs


def held_alpha(t: int, epochs: int, share: float) -> float:
    """Return 1 for a share of the epochs, and what then falls in equal steps.

    Its last value is one step, not 0.

    Examples
    --------
    >>> [round(held_alpha(t, 4, share=0.25), 2) for t in (1, 2, 3, 4)]
    [1.0, 1.0, 0.67, 0.33]
    """
    held = int(share * epochs)
    return min(1.0, 1 - (t - 1 - held) / (epochs - held))
