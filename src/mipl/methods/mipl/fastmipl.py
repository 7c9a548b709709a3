"""FastMIPL: a variational mixed-effects model of bags (AAAI 2025)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self, cast

import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from mipl.data.bags import Bags
from mipl.errors import MiplError
from mipl.methods.bases.base import Floats
from mipl.methods.bases.fitted_network import scaled_attention
from mipl.methods.bases.neural import NeuralBagClassifier
from mipl.nn.attention import EvenAttention
from mipl.nn.dropout import DroppedReLU, rekey
from mipl.nn.encoders import Standardise
from mipl.nn.initialisation import initialise
from mipl.nn.mixed_effects import (
    CoefficientPosterior,
    MixedNetwork,
    MixedOutput,
    StandardHead,
    soft_logistic,
    standardised,
)
from mipl.nn.network import BagNetwork
from mipl.nn.reliability import Reliability
from mipl.nn.start_scores import descended_logistic
from mipl.objectives import (
    confidence_update,
    falling_alpha,
    linear_objective,
    on_candidates,
)
from mipl.parameters import choice, flag, integer, learnt, number, redeclared
from mipl.seeds import as_seed, stream, stream_seed
from mipl.training.batches import Batch, BatchSource
from mipl.training.options import Training
from mipl.training.prediction import lazy_outputs
from mipl.training.state import Clock, TrainingState


class FastMIPL(NeuralBagClassifier):
    """Fast multi-instance partial-label learning with a mixed-effects model.

    Each class has a linear attention and a linear score of the embedded instances,
    whose coefficients have a Gaussian posterior. All bags make one step, in which the
    scores of a class are standardised over the bags: no class can take them all.

    ::

        u_c, b_c ~ posterior,   f_ic = sum_j softmax_j(h_j u_c) (h_j b_c)
        g_ic     = rms(b_c) * (f_ic - mean_i f_ic) / std_i f_ic
        loss     = - sum_draws mean_i sum_c w_ic (intercept_c + g_ic)
                   + kl_weight * KL(posterior || prior) / m
        w        = keep w + (1 - keep) mean_draws softmax(g)   on S

    The scores start where a logistic regression of the label weights on the means of
    the bags' embedded instances puts them: the published learning rates are too low to
    get there from random values.

    UAMIPL is this with ``reliability="draws"``: attention is mixed with how little the
    logits of an instance are in doubt (``mipl.nn.reliability`` has the formulas).

    Predictions take the posterior means. Each bag is scored by itself, with the mean
    and spread of the training bags; the published program standardises over the bags
    that it is asked about, so that its answer for a bag depends on the others:
    ``standardise="given"``, or ``FastMIPL.released()``. ``attend`` gives the attention
    of each class, averaged with the bag's probabilities.

    Examples
    --------
    >>> from mipl import load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> model = FastMIPL(width=32).set_params(training__epochs=100, training__lr=0.01)
    >>> model = model.fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.6)
    True

    References
    ----------
    Yang, Tang, Zhang: Fast multi-instance partial-label learning. AAAI 2025.
    """

    samples: int = integer(
        "Draws per step; 10 to 50 in the publication.", default=10, at_least=1
    )
    kl_weight: float = number(
        "Of the divergence between posterior and prior.", default=1.0, at_least=0
    )
    keep: float | None = number(
        "How much of the label weights stays at each step; None for as much as the "
        "published program keeps, falling from 1 to 1 / epochs.",
        default=0.99,
        at_least=0,
        at_most=1,
        or_none=True,
    )
    start: str = choice(
        "Where score coefficients start: with that regression; with the published one, "
        "which ends after 1000 steps of gradient descent, is of another size, starts "
        "the intercept, too, and leaves the attention even; or with random values.",
        ("means", "published", "random"),
        default="means",
    )
    start_network: str = choice(
        "Whose embedding the regression sees: that of the network that is trained, or, "
        "as in the published program, of another with values of its own and dropout. "
        "Random values see none.",
        ("trained", "another"),
        default="trained",
    )
    reliability: str = choice(
        "Whether the attention is mixed with the reliability of instances: from "
        '"draws", as the program of UAMIPL computes it, or from "classes".',
        ("off", "draws", "classes"),
        default="off",
    )
    reliability_weight: float = number(
        "What the mean doubt is multiplied by, for the share of the reliability.",
        default=0.1,
        at_least=0,
        at_most=1,
    )
    reliability_threshold: float = number(
        "The least mean doubt at which reliability is mixed in.",
        default=0.5,
        at_least=0,
        at_most=1,
    )
    reliability_from: int = integer(
        "The first epoch that mixes reliability in.", default=50, at_least=1
    )
    reliability_at_prediction: bool = flag(
        "Whether predictions mix it in, too, with what the training bags have told of "
        "doubts; the published program does not.",
        default=False,
    )
    width: int | Sequence[int] = redeclared(
        default=(512, 256), about="Widths of the feature network's layers."
    )
    standardise: str = choice(
        'Whose mean and spread predictions use. A single bag that is "given" has '
        "nothing to be compared with, and all classes are equally likely; instances "
        "are scored with those of training in any case.",
        ("training", "given"),
        default="training",
    )
    test_dropout: bool = flag(
        "Whether dropout stays on in predictions, as in the published program.",
        default=False,
    )
    test_intercept: bool = flag(
        "Whether predictions add the intercept; the published program does not. Only "
        "weight decay bounds it, so that it may outweigh all scores.",
        default=False,
    )
    training: Training | None = redeclared(
        default=None,
        about="By default all bags in one step at a constant learning rate, as "
        "published.",
    )

    module_: MixedNetwork = learnt()

    @classmethod
    def released(cls, **arguments: Any) -> Self:
        """Return the authors' program.

        It is transductive, with dropout in predictions; its label weights move ever
        faster, and its regression sees another network than the trained one.
        """
        program = {
            "standardise": "given",
            "test_dropout": True,
            "keep": None,
            "start": "published",
            "start_network": "another",
        }
        return cls(**{**program, **arguments})

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> MixedNetwork:
        reliability = None
        if self.reliability != "off":
            reliability = Reliability(
                self.reliability,
                self.reliability_weight,
                self.reliability_threshold,
                self.reliability_from,
            )
        return MixedNetwork(
            Standardise(self.n_features_in_),
            encoder,
            CoefficientPosterior(width, n_classes),
            StandardHead(n_classes),
            self.samples,
            reliability,
            self.reliability_at_prediction,
        )

    def _clock(self, epoch: int, epochs: int) -> Clock:
        falling = falling_alpha(epoch, epochs, lag=1)
        return Clock(epoch, epochs, alpha=falling if self.keep is None else self.keep)

    def _prepare(self, state: TrainingState, source: BatchSource) -> None:
        state.own["bags"] = torch.tensor(len(source))
        if self.start == "random":
            return
        module = cast("MixedNetwork", state.module)
        z = self._bag_means(module, source)  # (m, L)
        w = state.w.cpu().double().numpy()
        if self.start == "means":
            _start_scores(module, *soft_logistic(z, w))
            return
        chance = stream(as_seed(self.random_state), "start of the regression")
        first = chance.normal(0, 0.01, (z.shape[1], w.shape[1]))
        self._published_start(module, z, w, first)

    def _published_start(
        self, module: MixedNetwork, z: Floats, w: Floats, first: Floats
    ) -> None:
        """Start as the program does, from these coefficients of the regression."""
        mean, variance, intercept = descended_logistic(z, w, first)
        if not variance.all():
            raise MiplError(
                "start='published' needs bags that differ in their means; these do not "
                f"(n_samples={len(z)}): give start='means'."
            )
        _start_scores(module, mean, variance)
        module.posterior.level_attention()
        module.head.start(torch.from_numpy(intercept))

    def _bag_means(self, module: MixedNetwork, source: BatchSource) -> Floats:
        """Return the means of the bags' instances as the start sees them, (m, L)."""
        encoder = module.encoder.eval()
        if self.start_network == "another":
            encoder = self._new_module(source.candidates.shape[1]).encoder
            encoder.to(next(module.parameters()))
            seed = as_seed(self.random_state)
            initialise(encoder, stream_seed(seed, "another network"))
            rekey(encoder.train(), stream_seed(seed, "its dropout"))
        means = BagNetwork(module.scaling, encoder, EvenAttention(), module.head)
        with torch.no_grad():
            outputs = lazy_outputs(means, source.bags, tau=1.0)
            z = torch.cat([output.z for output in outputs])
        return z.cpu().double().numpy()

    def _loss(
        self, out: MixedOutput, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        objective = linear_objective(out.bag_scores(), w, out.head.intercept)
        divergence = out.posterior.kl().sum() / clock.own["bags"]
        return {
            "objective": -batch.mean(objective),
            "divergence": self.kl_weight * divergence,
        }

    def _update(
        self, out: MixedOutput, batch: Batch, w: Tensor, clock: Clock
    ) -> Tensor:
        p = out.bag_scores().softmax(dim=1).mean(dim=-1)
        return confidence_update(w, p, batch.candidates, clock.alpha)

    def _end_epoch(self, state: TrainingState, clock: Clock) -> None:
        reliability = cast("MixedNetwork", state.module).reliability
        if reliability is not None:
            reliability.epoch.fill_(clock.epoch)

    def _default_training(self) -> Training:
        return Training(
            epochs=500, lr=2e-3, clip=None, schedule="constant", batch_size=None
        )

    # -- predictions -----------------------------------------------------------------

    def _remember(self, state: TrainingState, source: BatchSource) -> None:
        super()._remember(state, source)
        w = on_candidates(state.w.cpu().double(), source.candidates.cpu())
        self.label_weights_ = w.numpy()
        module = self.module_.eval()
        with torch.no_grad():
            if module.reliability is not None:
                seen = lazy_outputs(module, source.bags, self.tau_)
                module.reliability.settle(torch.cat([one.scores for one in seen]))
            z = torch.cat(
                [output.z for output in lazy_outputs(module, source.bags, self.tau_)]
            )
            module.head.settle(z, module.posterior.centre().size[:, 0])

    def _proba(self, bags: Bags) -> Floats:
        if self.standardise == "training":
            return super()._proba(bags)
        head = copy.deepcopy(self.module_.head).cpu().double()
        head.uses_intercept = self.test_intercept
        with torch.no_grad():
            return head.classify(self._given_scores(bags)).exp().numpy()

    def _log_p_of(self, seen: Any) -> Tensor:
        """Return the log-probabilities of bags, where these are all that are given."""
        if self.standardise == "training":
            return super()._log_p_of(seen)
        size = seen.module.posterior.centre().size[:, 0]
        found: Tensor = seen.module.head.classify(standardised(seen.z) * size)
        return found

    def _given_scores(self, bags: Bags) -> Tensor:
        """Return scores that are standardised over these bags, (m, k)."""
        z = self._collect(bags, lambda seen: seen.z, len(bags))
        size = self.module_.posterior.centre().size[:, 0].detach().cpu().double()
        return standardised(z) * size

    def _attention_of(self, seen: Any) -> Tensor:
        """Return the attention of each class, weighed by its probability, (N,)."""
        p = torch.softmax(self._log_p_of(seen), dim=1)
        mixed: Tensor = (seen.a * seen.segments.spread(p)).sum(dim=1)
        return mixed

    def attend(self, X: Any, scale: str = "raw") -> Floats:
        """Return the attention of each instance, (N,), as ``MIPLMA.attend`` does."""
        if self.standardise == "training":
            return super().attend(X, scale)
        check_is_fitted(self)
        bags = self._as_bags(X)
        a = self._collect(bags, lambda seen: seen.a, bags.n_instances).numpy()
        p = self._proba(bags)[bags.bag_of_instance]  # (N, k)
        return scaled_attention((a * p).sum(axis=1), bags.offsets, scale)

    def _precise_module(self) -> BagNetwork:
        module = cast("MixedNetwork", super()._precise_module())
        module.head.uses_intercept = self.test_intercept
        if self.test_dropout:
            rekey(module, stream_seed(as_seed(self.random_state), "test dropout"))
            for layer in module.modules():
                if isinstance(layer, DroppedReLU):
                    layer.train()
        return module

    def _check_arguments(self) -> None:
        super()._check_arguments()
        if self.reliability == "off" and self.reliability_at_prediction:
            raise MiplError(
                "reliability_at_prediction needs a reliability; set reliability to "
                "'draws' or 'classes', or leave reliability_at_prediction False."
            )
        if self.start == "random" and self.start_network != "trained":
            raise MiplError(
                "start_network of FastMIPL is whose embedding the regression sees, and "
                "start='random' has no regression; leave start_network 'trained', or "
                "set start to 'means' or 'published'."
            )
        if self._options().batch_size == 1:
            raise MiplError(
                "FastMIPL compares the bags of a step, and learns nothing from one "
                "alone; training__batch_size must be None or above 1; got 1."
            )


def _start_scores(module: MixedNetwork, mean: Floats, variance: Floats) -> None:
    like = module.posterior.mean
    module.posterior.start_scores(
        torch.from_numpy(mean).to(like), torch.from_numpy(variance).to(like)
    )
