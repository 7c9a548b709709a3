"""A mixed-effects model of bags: coefficients with a Gaussian posterior per class.

Each class has a linear attention and a linear score of the embedded instances; the
coefficients of both are drawn together from a Gaussian of full covariance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize
from scipy.special import log_softmax
from torch import Tensor, nn

from mipl.errors import MiplError
from mipl.nn.attention import Attention
from mipl.nn.class_scores import fused_bag_scores
from mipl.nn.dropout import Keyed
from mipl.nn.initialisation import Drawn
from mipl.nn.network import BagNetwork, Output
from mipl.nn.products import product
from mipl.nn.reliability import Reliability
from mipl.nn.segments import Segments, safe_sqrt

_DIAGONAL = 1e-4  # Fixed part of the posterior variances.
_VARIANCE = 0.1  # Of the posterior at the start.
_PRIOR = 0.5  # Prior variance at the start.


Floats = npt.NDArray[np.float64]


def soft_logistic(z: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Regress label weights on vectors: (m, L), (m, k) -> (k, L) twice.

    The coefficients b have the least -sum_ic w_ic log softmax(b z_i + bias)_c +
    |b|^2 / 2, where the unit of all features is their mean spread (root mean square):
    with a unit each, those that hardly vary would have huge coefficients. Beside them
    stand their variances in Laplace's approximation, without correlations.

    Examples
    --------
    >>> z = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> w = np.array([[1.0, 0.0], [0.5, 0.5], [0.5, 0.5], [0.0, 1.0]])
    >>> coefficients, variances = soft_logistic(z, w)
    >>> bool(coefficients[1] > 0), np.allclose(*abs(coefficients)), variances.shape
    (True, True, (2, 1))
    """
    spread = np.sqrt(z.var(axis=0).mean()) or 1.0
    x = (z - z.mean(axis=0)) / spread  # (m, L)
    shape = w.shape[1], x.shape[1] + 1  # The biases come last.

    def loss_and_slope(flat: Floats) -> tuple[float, Floats]:
        values = flat.reshape(shape)
        b, bias = values[:, :-1], values[:, -1]
        log_p = log_softmax(x @ b.T + bias, axis=1)  # (m, k)
        gap = np.exp(log_p) * w.sum(axis=1, keepdims=True) - w  # (m, k)
        slope = np.c_[gap.T @ x + b, gap.sum(axis=0)]
        return float(np.square(b).sum() / 2 - (w * log_p).sum()), slope.ravel()

    found = minimize(
        loss_and_slope, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B"
    )
    values = found.x.reshape(shape)
    b, bias = values[:, :-1], values[:, -1]
    p = np.exp(log_softmax(x @ b.T + bias, axis=1))
    curvature = (w.sum(axis=1, keepdims=True) * p * (1 - p)).T @ np.square(x)  # (k, L)
    return b / spread, 1 / (curvature + 1) / spread**2


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Draws of the coefficients, (L, k, S) each."""

    attention: Tensor
    score: Tensor

    @property
    def size(self) -> Tensor:
        """Root mean square of the score coefficients over the features, (k, S)."""
        return self.score.square().mean(dim=0).sqrt()


class CoefficientPosterior(Drawn):
    """Gaussian posterior N(m, F F^T + diag) of a class's coefficients.

    The prior is N(0, sigma^2), with a learned sigma for the attention and for the
    scores of each class.
    """

    def __init__(self, width: int, n_classes: int) -> None:
        super().__init__()
        n = 2 * width  # Attention coefficients, then score coefficients.
        self.mean = nn.Parameter(torch.zeros(n_classes, n))
        self.factor = nn.Parameter(torch.zeros(n_classes, n, n))
        self.log_sigma_attention = nn.Parameter(torch.zeros(1, n_classes))
        self.log_sigma_score = nn.Parameter(torch.zeros(1, n_classes))
        fixed = torch.full((n_classes, n), math.log(_DIAGONAL))
        self.log_diagonal: Tensor
        self.register_buffer("log_diagonal", fixed)

    @torch.no_grad()
    def draw(self, generator: torch.Generator) -> None:
        """Take starting values."""
        width = self.mean.shape[1] // 2
        self.mean.normal_(0, 1 / math.sqrt(width), generator=generator)
        self.factor.normal_(0, _DIAGONAL, generator=generator)
        self.factor.diagonal(dim1=1, dim2=2).add_(math.sqrt(_VARIANCE))
        self.log_sigma_attention.fill_(math.log(_PRIOR) / 2)
        self.log_sigma_score.fill_(math.log(_PRIOR) / 2)

    @torch.no_grad()
    def start_scores(self, mean: Tensor, variance: Tensor) -> None:
        """Let the score coefficients start here, (k, L) twice.

        The prior gets the variance that agrees best with them.
        """
        width = self.mean.shape[1] // 2
        self.mean[:, width:] = mean
        self.factor.diagonal(dim1=1, dim2=2)[:, width:] = variance.sqrt()
        agreeing = (mean.square() + variance).mean(dim=1)  # (k,)
        self.log_sigma_score.copy_(agreeing.log() / 2)

    @torch.no_grad()
    def level_attention(self) -> None:
        """Let the attention coefficients start at 0."""
        self.mean[:, : self.mean.shape[1] // 2] = 0

    def sample(self, of_factor: Tensor, of_diagonal: Tensor) -> Coefficients:
        """Return coefficients from standard normal draws, (S, k, 2 L) twice."""
        beta = self.mean + torch.einsum("kij,skj->ski", self.factor, of_factor)
        return _split(beta + (self.log_diagonal / 2).exp() * of_diagonal)

    def centre(self) -> Coefficients:
        """Return the posterior means as the only draw."""
        return _split(self.mean.unsqueeze(0))

    def kl(self) -> Tensor:
        """Return KL(posterior || prior) of each class, (k,)."""
        n = self.mean.shape[1]
        sigmas = (self.log_sigma_attention, self.log_sigma_score)
        log_prior = torch.cat([2 * s.T.expand(-1, n // 2) for s in sigmas], dim=1)
        diagonal = self.log_diagonal.exp()  # (k, n)
        log_root: Tensor = _LogRoot.apply(self.factor, diagonal)  # type: ignore[no-untyped-call]
        variances = self.factor.square().sum(dim=2) + diagonal
        terms = (variances + self.mean.square()) / log_prior.exp() + log_prior - 1
        return terms.sum(dim=1) / 2 - log_root


class _LogRoot(torch.autograd.Function):
    """log det(F F' + D) / 2 of each class, and its gradient (F F' + D)^-1 F."""

    @staticmethod
    def forward(ctx: Any, factor: Tensor, diagonal: Tensor) -> Tensor:
        covariance = torch.stack([product(f, f) for f in factor])
        covariance.diagonal(dim1=1, dim2=2).add_(diagonal)
        # Without an exception: what diverged shows as a loss that is not finite.
        root = torch.linalg.cholesky_ex(covariance).L
        ctx.save_for_backward(factor, root)
        half: Tensor = root.diagonal(dim1=1, dim2=2).log().sum(dim=1)
        return half  # (k,)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None]:
        factor, root = ctx.saved_tensors
        inverse = torch.cholesky_inverse(root).mul_(g.view(-1, 1, 1))
        pairs = zip(inverse, factor, strict=True)
        return torch.stack([product(i, f.T) for i, f in pairs]), None


class KeyedNormal(Keyed):
    """Standard normal numbers, drawn from the key of the step."""

    def forward(self, shape: tuple[int, ...], like: Tensor) -> Tensor:
        """Return numbers of the type of another tensor."""
        generator = torch.Generator().manual_seed(self.key)
        return torch.randn(shape, generator=generator, dtype=torch.float64).to(like)


class MeanScore(nn.Module):
    """Attention scores of each class, from the posterior means."""

    def __init__(self, posterior: CoefficientPosterior) -> None:
        super().__init__()
        self.posterior = posterior

    def forward(self, h: Tensor) -> Tensor:
        """Return raw scores."""
        return h @ self.posterior.centre().attention[..., 0]  # (N, k)


class ClasswiseAttention(Attention):
    """A softmax inside the bag for each class; the temperature is not used.

    ``mix`` makes of attention and scores what predictions use instead.
    """

    def __init__(
        self, score: nn.Module, mix: Callable[[Tensor, Tensor], Tensor] | None = None
    ) -> None:
        super().__init__(score)
        self.mix = mix

    def weigh(self, scores: Tensor, bags: Segments, tau: float) -> Tensor:
        """Turn raw scores into attention."""
        a = bags.softmax(scores)  # (N, k)
        return a if self.mix is None else self.mix(a, scores)


class StandardHead(nn.Module):
    """Bag scores, standardised with those of the training bags, and a softmax."""

    uses_intercept: bool = False

    def __init__(self, n_classes: int) -> None:
        super().__init__()
        self.intercept = nn.Parameter(torch.zeros(1, n_classes))
        self.mean: Tensor
        self.scale: Tensor
        self.register_buffer("mean", torch.zeros(n_classes))
        self.register_buffer("scale", torch.ones(n_classes))

    def forward(self, z: Tensor) -> Tensor:
        """Return log-probabilities."""
        return self.classify((z - self.mean) / self.scale)

    def classify(self, scores: Tensor) -> Tensor:
        """Return log-probabilities of scores that are standardised already."""
        if self.uses_intercept:
            scores = scores + self.intercept
        return torch.log_softmax(scores, dim=1)  # (B, k)

    @torch.no_grad()
    def start(self, intercept: Tensor) -> None:
        """Take the starting value of the intercept, (k,)."""
        self.intercept.copy_(intercept)

    @torch.no_grad()
    def settle(self, z: Tensor, size: Tensor) -> None:
        """Take the statistics of the training bags; size is (k,)."""
        self.mean, spread = mean_and_std(z)
        self.scale = spread / size.clamp_min(torch.finfo(size.dtype).tiny)


@dataclass(frozen=True, eq=False)
class MixedOutput(Output):
    """What the network says for each draw: a, scores and z have axes of k and S."""

    coefficients: Coefficients
    posterior: CoefficientPosterior
    head: StandardHead

    def bag_scores(self) -> Tensor:
        """Return the scores, standardised over the bags of the batch, (B, k, S)."""
        return standardised(self.z) * self.coefficients.size

    def joined(self, parts: Mapping[str, Tensor]) -> Self:
        """Standardise the scores over all bags of the batch."""
        whole = super().joined(parts)
        p = whole.bag_scores().softmax(dim=1).mean(dim=-1)
        return replace(whole, p=p, log_p=p.log())


class MixedNetwork(BagNetwork):
    """Embed the instances; score each bag by class-wise attention and scores.

    In training the coefficients are drawn, and scores are standardised over the batch;
    otherwise they are the posterior means, and statistics those of ``settle``.
    """

    def __init__(
        self,
        scaling: nn.Module,
        encoder: nn.Module,
        posterior: CoefficientPosterior,
        head: StandardHead,
        samples: int,
        reliability: Reliability | None = None,
        at_prediction: bool = False,
    ) -> None:
        mix = reliability.predict if reliability and at_prediction else None
        attention = ClasswiseAttention(MeanScore(posterior), mix)
        super().__init__(scaling, encoder, attention, head)
        self.head: StandardHead = head
        self.samples = samples
        self.noise = KeyedNormal()
        # Last: what a layer draws depends on how many stand before it.
        self.reliability = reliability

    @property
    def posterior(self) -> CoefficientPosterior:
        """The coefficients' posterior."""
        score = self.attention.score
        assert isinstance(score, MeanScore)
        return score.posterior

    def forward(self, x: Tensor, bags: Segments, tau: float) -> MixedOutput:
        """Run a batch of bags, with drawn coefficients."""
        h = self.embed(x)  # (N, L)
        shape = (2, self.samples, *self.posterior.mean.shape)
        drawn = self.posterior.sample(*self.noise(shape, h).unbind())
        scores, a, z = self._bag_scores(h, drawn, bags)
        p = (standardised(z) * drawn.size).softmax(dim=1).mean(dim=-1)  # (B, k)
        more = (drawn, self.posterior, self.head)
        return MixedOutput(p.log(), p, a, scores, z, h, *more)

    def _bag_scores(
        self, h: Tensor, drawn: Coefficients, bags: Segments
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return logits and weights of the instances, and scores of the bags."""
        shape = drawn.score.shape[1:]  # k, S
        u, b = drawn.attention.flatten(1), drawn.score.flatten(1)  # (L, k S)
        reliability = self.reliability
        if reliability is None or not reliability.mixes():
            z = fused_bag_scores(h, u, b, bags).view(-1, *shape)  # (B, k, S)
            untold = h[:, :0]  # Nobody asks for them in training.
            return untold, untold, z
        if self.noise.part is not None:
            raise MiplError(
                "the reliability of an instance depends on all others of its batch, "
                "which many processes do not share; train in one process."
            )
        scores = (h @ u).view(-1, *shape)  # (N, k, S)
        a = reliability(bags.softmax(scores), scores)
        return scores, a, bags.sum(a * (h @ b).view(-1, *shape))

    def pool(self, a: Tensor, h: Tensor, bags: Segments) -> Tensor:
        """Return the bags' scores, before they are standardised."""
        return bags.sum(a * self.alone(h))  # (B, k)

    def alone(self, h: Tensor) -> Tensor:
        """Return the scores of instances as bags of their own."""
        return h @ self.posterior.centre().score[..., 0]  # (N, k)


def standardised(z: Tensor) -> Tensor:
    """Subtract the mean over the bags and divide by their sample spread."""
    mean, spread = mean_and_std(z)
    return (z - mean) / spread


def mean_and_std(z: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and sample spread over the bags; 1 where there is no spread."""
    mean = z.mean(dim=0)
    total = (z - mean).square().sum(dim=0)
    others = torch.sym_max(z.shape[0] - 1, 1)  # type: ignore[no-untyped-call]
    spread = safe_sqrt(total / others)
    return mean, torch.where(spread > 0, spread, 1.0)


def _split(beta: Tensor) -> Coefficients:
    attention, score = beta.permute(2, 1, 0).chunk(2)  # (L, k, S) each
    return Coefficients(attention, score)
