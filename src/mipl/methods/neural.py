"""NeuralBagClassifier: a network trained on batches of bags."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from scipy.stats import rankdata
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.scaling import PerInstance
from mipl.errors import MiplError
from mipl.methods.base import BagClassifier, Floats
from mipl.nn.encoders import Standardise, build_encoder
from mipl.nn.initial import initialise
from mipl.nn.network import BagNetwork, Output
from mipl.seeds import as_seed, stream_seed
from mipl.training.batches import Batch, BatchSource, evaluation_batches
from mipl.training.loop import start, train
from mipl.training.options import Training
from mipl.training.progress import CallbackSupportMixin, EpochReports, with_callbacks
from mipl.training.settings import torch_settings
from mipl.training.state import Clock, TrainingState
from mipl.training.stopping import EarlyStopping, hold_out


class NeuralBagClassifier(  # type: ignore[misc]
    CallbackSupportMixin, TransformerMixin, BagClassifier
):
    """Base of the methods that train a network.

    A leaf overrides three hooks: ``_build`` the network, compute the ``_loss`` terms,
    and ``_update`` the label weights. It has the arguments ``encoder``, ``width``,
    ``dropout``, ``scaling``, ``training`` and ``random_state``.
    """

    encoder: str | nn.Module
    width: int
    dropout: float
    scaling: str
    training: Training | None
    random_state: Any

    # -- hooks -----------------------------------------------------------------------

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> BagNetwork:
        raise NotImplementedError

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        raise NotImplementedError

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        return w

    def _clock(self, epoch: int, epochs: int) -> Clock:
        return Clock(epoch, epochs)

    def _updates_first(self) -> bool:
        return False

    def _default_training(self) -> Training:
        return Training()

    # -- fit -------------------------------------------------------------------------

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from bags and their candidate sets."""
        return super().fit(X, y)

    fit.__doc__ = BagClassifier.fit.__doc__

    def _fit(self, bags: Bags, candidates: Candidates) -> None:
        options = self.training or self._default_training()
        options.check()
        seed = as_seed(self.random_state)
        device, dtype = options.torch_device(), options.torch_dtype()
        with torch_settings(options.threads):
            module = self._new_module(bags, len(candidates.classes))
            own = module.encoder if isinstance(self.encoder, nn.Module) else None
            initialise(module, stream_seed(seed, "init"), kept=own)
            _fill_scaling(module, bags, self.scaling)
            module.to(device=device, dtype=dtype)
            kept, held = hold_out(bags, candidates, options, seed)
            source = BatchSource(kept[0], kept[1].matrix, device, dtype)
            state = start(module, kept[1].initial_weights(), options)
            self._train(state, source, options, seed, held, (bags, candidates))

    def _train(
        self,
        state: TrainingState,
        source: BatchSource,
        options: Training,
        seed: int,
        held: tuple[Bags, Candidates] | None,
        given: tuple[Bags, Candidates],
    ) -> None:
        reports = EpochReports(self, options.epochs, *given)
        stopping = EarlyStopping(options, held) if held is not None else None

        def after_epoch(state: TrainingState, clock: Clock) -> bool:
            self._remember(state, clock)
            stop = stopping is not None and stopping.after_epoch(state, self._proba)
            return reports.epoch(state.history[-1], self._fitted_now()) or stop

        train(state, self, source, options, seed, after_epoch)
        if stopping is not None:
            stopping.restore(state)
        reports.finish()

    def _remember(self, state: TrainingState, clock: Clock) -> None:
        """Keep what prediction and reports need, as of the epoch just done."""
        self.module_: BagNetwork = state.module
        self.tau_ = self._clock(clock.epoch + 1, clock.epochs).tau
        self.label_weights_ = state.w.double().cpu().numpy()
        self.history_ = state.history
        self.record_ = state.records
        self.n_iter_ = state.epoch

    def _fitted_now(self) -> dict[str, Any]:
        names = ("classes_", "n_features_in_", "_fitted_on_sets", "module_", "tau_")
        more = ("label_weights_", "history_", "n_iter_", "temperature_", "conformal_")
        return {name: getattr(self, name) for name in names + more}

    def _new_module(self, bags: Bags, n_classes: int) -> BagNetwork:
        encoder, width = build_encoder(
            self.encoder, bags.n_features, bags.instance_shape, self.width, self.dropout
        )
        self.instance_shape_ = bags.instance_shape
        return self._build(encoder, width, n_classes)

    def _network(
        self, encoder: nn.Module, attention: nn.Module, head: nn.Module
    ) -> BagNetwork:
        return BagNetwork(Standardise(self.n_features_in_), encoder, attention, head)

    # -- use -------------------------------------------------------------------------

    def _proba(self, bags: Bags) -> Floats:
        log_p = self._collect(bags, lambda out: out.log_p)
        # Normalised again in float64: float32 rows miss one by a few units of 1e-7.
        return torch.softmax(log_p, dim=1).numpy()

    def attend(self, X: Any, scale: str = "raw") -> Floats:
        """Return the attention of each instance, (N,).

        ``scale`` is "raw", "rank" (0 to 1 inside the bag) or "percentile" (share of all
        these instances with no more attention).
        """
        check_is_fitted(self)
        bags = self._as_bags(X)
        a = self._collect(bags, lambda out: out.a).numpy()
        return scaled_attention(a, bags.offsets, scale)

    def transform(self, X: Any) -> Floats:
        """Return the bag vectors, (m, L)."""
        check_is_fitted(self)
        return self._collect(self._as_bags(X), lambda out: out.z).numpy()

    def predict_instances(self, X: Any) -> Floats:
        """Return a class score per instance, (N, k): each as a bag of its own."""
        check_is_fitted(self)
        bags = self._as_bags(X)
        log_p = self._collect(bags, self._instance_log_p)
        return log_p.exp().numpy()

    def _instance_log_p(self, out: Output) -> Tensor:
        log_p: Tensor = self.module_.head(out.h)
        return log_p  # (N, k)

    def _collect(self, bags: Bags, pick: Callable[[Output], Tensor]) -> Tensor:
        """Run the network over all bags and join one of its outputs, in float64."""
        like = next(self.module_.parameters())
        threads = (self.training or self._default_training()).threads
        module = self.module_.eval()
        with torch_settings(threads), torch.no_grad():
            parts = [
                pick(module(x, segments, self.tau_)).double().cpu()
                for x, segments in evaluation_batches(bags, like.device, like.dtype)
            ]
        return torch.cat(parts)


def scaled_attention(a: Floats, offsets: npt.NDArray[np.int64], scale: str) -> Floats:
    """Put attention on a scale that can be compared and drawn."""
    if scale == "raw":
        return a
    if scale == "percentile":
        return np.asarray(rankdata(a, method="max") / len(a))
    if scale != "rank":
        raise MiplError(f"scale must be 'raw', 'rank' or 'percentile'; got {scale!r}.")
    ranks = np.empty_like(a)
    for first, stop in pairwise(offsets.tolist()):
        part = rankdata(a[first:stop]) - 1
        ranks[first:stop] = part / max(stop - first - 1, 1) if stop - first > 1 else 1
    return ranks


def _fill_scaling(module: BagNetwork, bags: Bags, scaling: str) -> None:
    if scaling == "none" or (scaling == "auto" and bags.instance_shape is not None):
        return
    scaler = PerInstance().fit(bags).transformer_
    layer = module.scaling
    layer.mean = torch.as_tensor(scaler.mean_, dtype=torch.float64)
    layer.scale = torch.as_tensor(scaler.scale_, dtype=torch.float64)
