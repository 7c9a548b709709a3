"""NeuralBagClassifier: a network trained on batches of bags."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar, Self

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
from mipl.methods.network_state import network_state, restore_network
from mipl.methods.persist import State
from mipl.methods.stored import Stored
from mipl.nn.attention import Attention
from mipl.nn.encoders import Standardise, build_encoder
from mipl.nn.initial import initialise
from mipl.nn.network import BagNetwork, Output
from mipl.seeds import as_seed, stream_seed
from mipl.training.batches import Batch, BatchSource
from mipl.training.evaluation import Seen, look
from mipl.training.loop import Run, start, train
from mipl.training.options import Training
from mipl.training.progress import CallbackSupportMixin, EpochReports, with_callbacks
from mipl.training.settings import torch_settings
from mipl.training.state import Clock, TrainingState
from mipl.training.stopping import EarlyStopping, hold_out


class NeuralBagClassifier(
    CallbackSupportMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BagClassifier,
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

    # Arguments that may differ between runs trained together; None where the loss and
    # the update of the label weights do not take a first axis of runs.
    _differing: ClassVar[tuple[str, ...] | None] = None

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

    def _tau_after(self, epoch: int) -> float:
        """Return the temperature of predictions once this epoch is done."""
        return 1.0

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
        options = self._options()
        options.check()
        with torch_settings(options.threads):
            run = self._begin(bags, candidates, options)
            train(
                run.state,
                self,
                run.source,
                options,
                run.seed,
                run.trained,
                run.after_epoch,
            )
            run.finish()

    def _begin(self, bags: Bags, candidates: Candidates, options: Training) -> Run:
        """Return all that the training needs, up to its first epoch."""
        seed = as_seed(self.random_state)
        device, dtype = options.torch_device(), options.torch_dtype()
        self.instance_shape_ = bags.instance_shape
        module = self._new_module(len(candidates.classes))
        own = module.encoder if isinstance(self.encoder, nn.Module) else None
        initialise(module, stream_seed(seed, "init"), kept=own)
        _fill_scaling(module, bags, self.scaling)
        module.to(device=device, dtype=dtype)
        source = BatchSource(bags, candidates.matrix, device, dtype)
        state = start(module, candidates.initial_weights(), options)
        return self._run(state, source, options, seed, candidates)

    def _run(
        self,
        state: TrainingState,
        source: BatchSource,
        options: Training,
        seed: int,
        candidates: Candidates,
    ) -> Run:
        trained, held = hold_out(candidates, options, seed)
        stopping = None
        if len(held):
            stopping = EarlyStopping(options, source.bags[held], candidates[held])
        reports = EpochReports(self, options.epochs, source.bags, candidates)

        def after_epoch(state: TrainingState, clock: Clock) -> bool:
            self._remember(state)
            stop = stopping is not None and stopping.after_epoch(state, self._proba)
            return reports.epoch(state.history[-1], dict(vars(self))) or stop

        def finish() -> None:
            if stopping is not None:
                stopping.restore(state)
            self._remember(state)
            state.module.eval()
            reports.finish()

        return Run(state, source, options, seed, trained, after_epoch, finish)

    def _remember(self, state: TrainingState) -> None:
        """Keep what prediction and reports need, as of the state's epoch."""
        self.module_: BagNetwork = state.module
        self.tau_ = self._tau_after(state.epoch)
        self.label_weights_ = state.w.double().cpu().numpy()
        self.history_ = state.history
        self.record_ = state.records
        self.n_iter_ = len(state.history)
        self.best_epoch_ = state.epoch

    def _options(self) -> Training:
        options = self._default_training() if self.training is None else self.training
        if not isinstance(options, Training):
            raise MiplError(
                f"training of {type(self).__name__} must be None or a Training; "
                f"got {options!r}."
            )
        return options

    def _new_module(self, n_classes: int) -> BagNetwork:
        encoder, width = build_encoder(
            self.encoder,
            self.n_features_in_,
            self.instance_shape_,
            self.width,
            self.dropout,
        )
        return self._build(encoder, width, n_classes)

    def _network(
        self, encoder: nn.Module, attention: Attention, head: nn.Module
    ) -> BagNetwork:
        return BagNetwork(Standardise(self.n_features_in_), encoder, attention, head)

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        (arrays, facts), (more, others) = super()._state(), network_state(self)
        return arrays | more, facts | others

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        restore_network(self, stored)

    # -- use -------------------------------------------------------------------------

    def _proba(self, bags: Bags) -> Floats:
        log_p = self._collect(bags, lambda seen: seen.log_p)
        # Normalised again in float64: float32 rows miss one by a few units of 1e-7.
        return torch.softmax(log_p, dim=1).numpy()

    def attend(self, X: Any, scale: str = "raw") -> Floats:
        """Return the attention of each instance, (N,).

        ``scale`` is "raw", "rank" (0 to 1 inside the bag) or "percentile" (share of all
        these instances with no more attention).
        """
        check_is_fitted(self)
        bags = self._as_bags(X)
        a = self._collect(bags, lambda seen: seen.a).numpy()
        return scaled_attention(a, bags.offsets, scale)

    def transform(self, X: Any) -> Floats:
        """Return the bag vectors, (m, L)."""
        check_is_fitted(self)
        return self._collect(self._as_bags(X), lambda seen: seen.z).numpy()

    def predict_instances(self, X: Any) -> Floats:
        """Return a class score per instance, (N, k): each as a bag of its own."""
        check_is_fitted(self)
        log_p = self._collect(self._as_bags(X), lambda seen: seen.instance_log_p)
        return log_p.exp_().numpy()

    def _precise_module(self) -> BagNetwork:
        """Return the network as predictions use it: in float64, where it can.

        In float32 a prediction would depend on how many bags are handled at once, by a
        few units of 1e-6; a user's encoder may not be written for another type.
        """
        module = self.module_.eval()
        on_mps = next(module.parameters()).device.type == "mps"  # It has no float64.
        if on_mps or isinstance(self.encoder, nn.Module):
            return module
        return copy.deepcopy(module).double()

    def _collect(self, bags: Bags, pick: Callable[[Seen], Tensor]) -> Tensor:
        """Show the network all bags and join one of its outputs, in float64."""
        module = self._precise_module()
        with torch_settings(self._options().threads), torch.no_grad():
            seen = look(module, bags, self.tau_)
            values = torch.cat([pick(some).cpu().double() for some in seen])
        if not bool(torch.isfinite(values).all()):
            raise _too_far(values, bags)
        return values


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


def _too_far(values: Tensor, bags: Bags) -> MiplError:
    """Name the first bag whose output, per bag or per instance, is not finite."""
    row = int(torch.isfinite(values.flatten(1)).all(dim=1).int().argmin())
    bag = row if len(values) == len(bags) else int(bags.bag_of_instance[row])
    return MiplError(
        f"the network has no finite output for {bags.name(bag)}: its numbers are too "
        "large beside those of the training bags, or training diverged; scale the "
        "features or lower training__lr."
    )


def _fill_scaling(module: BagNetwork, bags: Bags, scaling: str) -> None:
    if scaling == "none" or (scaling == "auto" and bags.instance_shape is not None):
        return
    scaler = PerInstance().fit(bags).transformer_
    layer = module.scaling
    layer.mean = torch.as_tensor(scaler.mean_, dtype=torch.float64)
    layer.scale = torch.as_tensor(scaler.scale_, dtype=torch.float64)
