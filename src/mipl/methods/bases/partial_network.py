"""PartialLabelNetwork: partial-label methods that train a linear model or an MLP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from mipl.methods.bases.base import Floats
from mipl.methods.bases.neural import NeuralClassifier
from mipl.methods.bases.partial import PartialLabelClassifier
from mipl.nn.backbones import as_widths, vector_network
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import on_candidates, softmax_on
from mipl.training.batches import Batch, BatchSource
from mipl.training.options import Training
from mipl.training.state import Clock, TrainingState


class PartialLabelNetwork(PartialLabelClassifier, NeuralClassifier):
    """Base of the partial-label methods that train by gradients.

    A leaf computes its ``_loss`` from ``out.log_p`` or the logits ``out.z``, and has
    the arguments below. Its label weights follow the probabilities on the candidates
    unless it says otherwise.

    Attributes
    ----------
    backbone : {"linear", "mlp"} or torch.nn.Module
        One affine map, the hidden layers of the publication before it, or a module of
        the user's before it: (m, d) -> (m, L).
    width : int or sequence of int
        Widths of the hidden layers of ``"mlp"``.
    scaling : {"auto", "standard", "none"}
        Whether features are standardised with the training rows: "auto" and
        "standard" do.
    training : Training, optional
    random_state : int, optional
    """

    backbone: str | nn.Module
    width: int | Sequence[int]

    # The hidden layers and starting values of PRODEN's and LWS' programs.
    _norm: ClassVar[bool] = True
    _xavier: ClassVar[bool] = True

    _differing: ClassVar[tuple[str, ...] | None] = ()
    _choices: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "scaling": ("auto", "standard", "none"),
    }

    def decision_function(self, X: Any) -> Floats:
        """Return the logits, (m, k); of two classes the second minus the first, (m,).

        Their softmax is ``predict_proba`` before any calibration.
        """
        check_is_fitted(self)
        bags = self._as_bags(X)
        z = self._collect(bags, lambda seen: seen.z, len(bags)).numpy()
        return z[:, 1] - z[:, 0] if z.shape[1] == 2 else z

    def _new_module(self, n_classes: int) -> BagNetwork:
        return vector_network(
            self.n_features_in_,
            n_classes,
            self.backbone,
            as_widths(self.width, type(self).__name__),
            norm=self._norm,
            xavier=self._xavier,
        )

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        return softmax_on(out.log_p.detach(), batch.candidates)

    def _remember(self, state: TrainingState, source: BatchSource) -> None:
        super()._remember(state, source)
        w = on_candidates(state.w.cpu().double(), source.candidates.cpu())
        self.label_weights_ = w.numpy()

    def _default_training(self) -> Training:
        return plain_sgd(epochs=500)

    def _check_arguments(self) -> None:
        super()._check_arguments()
        as_widths(self.width, type(self).__name__)


def plain_sgd(**settings: Any) -> Training:
    """Return what the publications train with, where they do not say otherwise."""
    usual: dict[str, Any] = {
        "lr": 0.01,
        "nesterov": False,
        "clip": None,
        "schedule": "constant",
        "batch_size": 256,
    }
    return Training(**(usual | settings))
