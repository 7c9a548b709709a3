"""Reliability of instances: how little their attention logits are in doubt."""

from __future__ import annotations

import torch
from torch import Tensor, nn

_EVIDENCE = 1e-6  # Of a logit that is not positive.
_WIDTH = 1e-8  # Added to the range of the doubts.


class Reliability(nn.Module):
    """Mixes the attention with the reliability of each instance and class.

    ::

        u_jc = k / sum_s (max(l_jcs, 0) + 1e-6 + 1)           doubt, over the draws
        u    = (u - min u) / (max u - min u + 1e-8)           of the whole batch
        a    = (1 - share) a + share (1 - u),                 share = weight mean(u)

    from epoch ``since`` on. With ``over="classes"`` the sum is over the classes, as in
    evidential learning, and each draw has a doubt of its own. The share is a constant
    to the gradient, and 0 where the mean of u is below ``threshold``.

    Predictions look at one bag by itself: ``settle`` keeps range and mean of the
    training bags' doubts for them; before, they mix nothing in.
    """

    def __init__(self, over: str, weight: float, threshold: float, since: int) -> None:
        super().__init__()
        self.axis = 2 if over == "draws" else 1
        self.weight = weight
        self.threshold = threshold
        self.since = since
        self.epoch: Tensor  # Finished ones.
        self.known: Tensor  # Least, greatest and mean doubt of the training bags.
        self.register_buffer("epoch", torch.zeros((), dtype=torch.int64))
        self.register_buffer("known", torch.zeros(3))

    def mixes(self) -> bool:
        """Tell whether the epoch under way is among those that mix."""
        return int(self.epoch) + 1 >= self.since

    def forward(self, a: Tensor, scores: Tensor) -> Tensor:
        """Mix the attention (N, k, S) of a batch."""
        u = self.doubt(scores)
        low, high = u.min(), u.max()
        return self._mixed(a, u, low, high, self._scaled(u, low, high).mean())

    def doubt(self, scores: Tensor) -> Tensor:
        """Return u as it is before it is scaled, (N, k, 1) or (N, 1, S)."""
        strength = (scores.relu() + _EVIDENCE + 1).sum(dim=self.axis, keepdim=True)
        return scores.shape[1] / strength

    def predict(self, a: Tensor, scores: Tensor) -> Tensor:
        """Mix the attention (N, k) of any bags, by what the training bags have told."""
        low, high, mean = self.known.to(a).unbind()
        u = self.doubt(scores.unsqueeze(-1)).clamp(low, high)
        return self._mixed(a.unsqueeze(-1), u, low, high, mean).squeeze(-1)

    @torch.no_grad()
    def settle(self, scores: Tensor) -> None:
        """Take the statistics of the training bags, from their logits (N, k)."""
        u = self.doubt(scores.unsqueeze(-1))
        low, high = u.min(), u.max()
        known = [low, high, self._scaled(u, low, high).mean()]
        self.known = torch.stack(known).to(self.known)

    @staticmethod
    def _scaled(u: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return (u - low) / (high - low + _WIDTH)

    def _mixed(
        self, a: Tensor, u: Tensor, low: Tensor, high: Tensor, mean: Tensor
    ) -> Tensor:
        mean = mean.detach()
        share = torch.where(mean >= self.threshold, self.weight * mean, 0.0)
        return (1 - share) * a + share * (1 - self._scaled(u, low, high))
