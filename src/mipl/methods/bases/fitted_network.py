"""FittedNetwork: what a trained network can be asked, and how it is kept."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from pydantic import PositiveFloat, PositiveInt
from scipy.stats import rankdata
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from mipl.data.bags import Bags
from mipl.errors import MiplError
from mipl.methods.bases.base import BagClassifier, Floats
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.nn.dropout import DroppedReLU
from mipl.nn.network import BagNetwork
from mipl.nn.traced_parts import NetworkPart
from mipl.parameters import learnt
from mipl.training.options import Training
from mipl.training.prediction import LazyOutput, joined, lazy_outputs
from mipl.training.settings import torch_settings


class FittedNetwork(BagClassifier):
    """Predictions of a trained network, and its files."""

    module_: BagNetwork = learnt()
    tau_: float = learnt()
    instance_shape_: tuple[int, ...] | None = learnt()
    label_weights_: Floats = learnt()  # (m, k)
    kept_weights_: Floats = learnt()  # (m, k) the same, as training keeps them
    history_: list[dict[str, float]] = learnt()
    record_: list[dict[str, Any]] = learnt()
    n_iter_: int = learnt()
    best_epoch_: int = learnt()
    trained_on_: str = learnt()

    def _options(self) -> Training:
        raise NotImplementedError

    def _new_module(self, n_classes: int) -> BagNetwork:
        raise NotImplementedError

    def _own_modules(self) -> list[nn.Module]:
        """Return the modules of the user's own among the arguments."""
        given = self.get_params(deep=False).values()
        return [value for value in given if isinstance(value, nn.Module)]

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        arrays, facts = super()._state()
        for name, value in self.module_.state_dict().items():
            arrays[f"module.{name}"] = value.cpu().numpy()
        arrays["label_weights"] = self.label_weights_
        if not np.array_equal(self.kept_weights_, self.label_weights_):
            arrays["kept_weights"] = self.kept_weights_
        for name in self.record_[0] if self.record_ else ():
            arrays[f"record.{name}"] = np.stack([one[name] for one in self.record_])
        shape = self.instance_shape_
        return arrays, {
            **facts,
            "instance_shape": None if shape is None else list(shape),
            "tau": float(self.tau_),
            "history": self.history_,
            "n_iter": self.n_iter_,
            "best_epoch": self.best_epoch_,
            "trained_on": self.trained_on_,
        }

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        k = len(self.classes_)
        shape = stored.fact("instance_shape", list[PositiveInt] | None)
        self.instance_shape_ = None if shape is None else tuple(shape)
        self.tau_ = stored.fact("tau", PositiveFloat)
        self.history_ = stored.fact("history", list[dict[str, float]])
        self.n_iter_ = stored.fact("n_iter", PositiveInt)
        self.best_epoch_ = stored.fact("best_epoch", PositiveInt)
        self.trained_on_ = stored.later_fact("trained_on", str, "")
        self.label_weights_ = stored.array("label_weights", (None, k), np.float64)
        self.kept_weights_ = self.label_weights_
        if stored.holds("kept_weights"):
            shape = self.label_weights_.shape
            self.kept_weights_ = stored.array("kept_weights", shape, np.float64)
        self.record_ = _records(stored, k)
        options = self._options()
        options.check()
        module = self._new_module(k).to(options.torch_dtype())
        _fill(module, stored)
        self.module_ = module.to(_device(options))

    # -- use -------------------------------------------------------------------------

    def _log_p_of(self, seen: Any) -> Tensor:
        """Return the log-probabilities of bags as they are seen, (B, k)."""
        log_p: Tensor = seen.log_p
        return log_p

    def _instance_log_p_of(self, seen: Any) -> Tensor:
        """Return the log-probabilities of their instances, (N, k)."""
        log_p: Tensor = seen.instance_log_p
        return log_p

    def _proba(self, bags: Bags) -> Floats:
        log_p = self._collect(bags, self._log_p_of, len(bags))
        # Normalised again in float64: float32 rows miss one by a few units of 1e-7.
        return torch.softmax(log_p, dim=1).numpy()

    def _precise_module(self) -> BagNetwork:
        """Return the network as predictions use it: in float64, where it can.

        In float32 a prediction would depend on how many bags are handled at once, by a
        few units of 1e-6; a user's encoder may not be written for another type. To the
        convolutions of a CPU (oneDNN's) the other images make no difference, and in
        float64 they take seven times as long.
        """
        module = self.module_.eval()
        like = next(module.parameters())
        place = like.device.type
        if place == "mps" or self._own_modules():
            return module  # MPS has no float64.
        precise = copy.deepcopy(module).double()
        one_dnn = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        if place == "cpu" and one_dnn:
            for layer in precise.modules():
                if isinstance(layer, nn.Conv2d):
                    layer.to(like.dtype)
        return precise

    def _collect(
        self, bags: Bags, pick: Callable[[LazyOutput], Tensor], n: int
    ) -> Tensor:
        """Show the network all bags and join n rows of its output, in float64."""
        module = self._precise_module()
        with torch_settings(self._options().threads), torch.no_grad():
            outputs = lazy_outputs(module, bags, self.tau_)
            values = joined((pick(some).cpu().double() for some in outputs), n)
        if not bool(torch.isfinite(values).all()):
            raise _too_far(values, bags)
        return values

    # -- graphs ----------------------------------------------------------------------

    def _as_graph(self) -> nn.Module:
        network = self._precise_module().cpu().float()
        layers = [
            layer for layer in network.modules() if isinstance(layer, DroppedReLU)
        ]
        if any(layer.training and layer.p for layer in layers):
            raise MiplError(
                f"{type(self).__name__} draws at random in its predictions "
                "(test_dropout), and no file holds what will be drawn; export a model "
                "with test_dropout=False."
            )
        return NetworkPart(
            network,
            float(self.tau_),
            self._log_p_of,
            getattr(self, "_attention_of", None),
            self._instance_log_p_of if hasattr(self, "predict_instances") else None,
        )


class EmbeddingNetwork(TransformerMixin, FittedNetwork):  # type: ignore[misc]
    """A trained network whose bags have vectors of their own."""

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return a name for each number of a bag vector."""
        check_is_fitted(self)
        one = Bags(np.zeros((1, 1, self.n_features_in_), np.float32))
        width = self._collect(one, lambda output: output.z, 1).shape[1]
        name = type(self).__name__.lower()
        return np.array([f"{name}{i}" for i in range(width)], dtype=object)

    def transform(self, X: Any) -> Floats:
        """Return the bag vectors, (m, L)."""
        check_is_fitted(self)
        bags = self._as_bags(X)
        return self._collect(bags, lambda output: output.z, len(bags)).numpy()


class AttendingNetwork(EmbeddingNetwork):
    """A trained network whose bags have attention, and vectors of their own."""

    def _attention_of(self, seen: Any) -> Tensor:
        """Return the attention in bags as they are seen, (N,)."""
        a: Tensor = seen.a
        return a

    def attend(self, X: Any, scale: str = "raw") -> Floats:
        """Return the attention of each instance, (N,).

        ``scale`` is "raw", "rank" (0 to 1 inside the bag) or "percentile" (share of all
        these instances with no more attention).
        """
        check_is_fitted(self)
        bags = self._as_bags(X)
        a = self._collect(bags, self._attention_of, bags.n_instances).numpy()
        return scaled_attention(a, bags.offsets, scale)

    def predict_instances(self, X: Any) -> Floats:
        """Return a class score per instance, (N, k): each as a bag of its own."""
        check_is_fitted(self)
        bags = self._as_bags(X)
        log_p = self._collect(bags, self._instance_log_p_of, bags.n_instances)
        return log_p.exp_().numpy()


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


def _fill(module: BagNetwork, stored: Stored) -> None:
    values = {}
    for name, old in module.state_dict().items():
        shape, dtype = tuple(old.shape), old.numpy().dtype
        new = stored.array(f"module.{name}", shape, dtype)
        values[name] = torch.from_numpy(new)
    module.load_state_dict(values)


def _records(stored: Stored, k: int) -> list[dict[str, Any]]:
    if not stored.holds("record.epoch"):
        return []
    epochs = stored.array("record.epoch", (None,), np.int64).tolist()
    weights = stored.array("record.label_weights", (len(epochs), None, k), np.float64)
    best = {
        name: stored.array(f"record.{name}", weights.shape[:2], np.float64)
        for name in ("best_candidate", "best_other")
    }
    return [
        {"epoch": epoch, "label_weights": w} | {n: best[n][i] for n in best}
        for i, (epoch, w) in enumerate(zip(epochs, weights, strict=True))
    ]


def _device(options: Training) -> torch.device:
    try:
        return options.torch_device()
    except MiplError:
        return torch.device("cpu")  # Trained on a device that this machine has not.
