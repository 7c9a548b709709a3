"""FittedNetwork: what a trained network can be asked, and how it is kept."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.stats import rankdata
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from mipl.data.bags import Bags
from mipl.errors import MiplError
from mipl.methods.bases.base import BagClassifier, Floats
from mipl.methods.bases.network_state import network_state, restore_network
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.nn.network import BagNetwork
from mipl.parameters import learnt
from mipl.training.options import Training
from mipl.training.prediction import LazyOutput, joined, lazy_outputs
from mipl.training.settings import torch_settings


class FittedNetwork(BagClassifier):
    """Predictions of a trained network, and its files."""

    module_: BagNetwork = learnt()
    tau_: float = learnt()

    def _options(self) -> Training:
        raise NotImplementedError

    def _own_modules(self) -> list[nn.Module]:
        """Return the modules of the user's own among the arguments."""
        given = self.get_params(deep=False).values()
        return [value for value in given if isinstance(value, nn.Module)]

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        (arrays, facts), (more, others) = super()._state(), network_state(self)
        return arrays | more, facts | others

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        restore_network(self, stored)

    # -- use -------------------------------------------------------------------------

    def _proba(self, bags: Bags) -> Floats:
        log_p = self._collect(bags, lambda output: output.log_p, len(bags))
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


class EmbeddingNetwork(TransformerMixin, FittedNetwork):  # type: ignore[misc]
    """A trained network whose bags have vectors of their own."""

    def transform(self, X: Any) -> Floats:
        """Return the bag vectors, (m, L)."""
        check_is_fitted(self)
        bags = self._as_bags(X)
        return self._collect(bags, lambda output: output.z, len(bags)).numpy()


class AttendingNetwork(EmbeddingNetwork):
    """A trained network whose bags have attention, and vectors of their own."""

    def attend(self, X: Any, scale: str = "raw") -> Floats:
        """Return the attention of each instance, (N,).

        ``scale`` is "raw", "rank" (0 to 1 inside the bag) or "percentile" (share of all
        these instances with no more attention).
        """
        check_is_fitted(self)
        bags = self._as_bags(X)
        a = self._collect(bags, lambda output: output.a, bags.n_instances).numpy()
        return scaled_attention(a, bags.offsets, scale)

    def predict_instances(self, X: Any) -> Floats:
        """Return a class score per instance, (N, k): each as a bag of its own."""
        check_is_fitted(self)
        bags = self._as_bags(X)
        log_p = self._collect(bags, lambda s: s.instance_log_p, bags.n_instances)
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
