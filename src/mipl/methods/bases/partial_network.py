"""PartialLabelNetwork: partial-label methods that train a linear model or an MLP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from mipl.methods.bases.base import Floats
from mipl.methods.bases.neural import NeuralClassifier
from mipl.methods.bases.partial import PartialLabelClassifier
from mipl.nn.backbones import as_widths, vector_network
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import on_candidates, softmax_on
from mipl.parameters import choice, integers, redeclared
from mipl.training.batches import Batch, BatchSource
from mipl.training.options import Training
from mipl.training.state import Clock, TrainingState


class PartialLabelNetwork(PartialLabelClassifier, NeuralClassifier, kw_only=True):
    """Base of the partial-label methods that train by gradients.

    A leaf computes its ``_loss`` from ``out.log_p`` or the logits ``out.z``. Its label
    weights follow the probabilities on the candidates unless it says otherwise.
    """

    backbone: str | nn.Module = choice(
        "One affine map, the publication's hidden layers before it, or a module of the "
        "user's before it: (m, d) -> (m, L).",
        ("linear", "mlp"),
        default="linear",
        or_a={"torch.nn.Module": nn.Module},
    )
    width: int | Sequence[int] = integers(
        'Widths of the hidden layers of "mlp".',
        default=(300, 301, 302, 303),
        at_least=1,
    )
    scaling: str = redeclared(
        default="auto",
        about="Whether features are standardised with the training rows: "
        '"auto" and "standard" do.',
    )
    training: Training | None = redeclared(default=None, search=("lr", "weight_decay"))

    # The hidden layers and starting values of PRODEN's and LWS' programs.
    _norm: ClassVar[bool] = True
    _xavier: ClassVar[bool] = True

    _stacks: ClassVar[bool] = True

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
            as_widths(self.width),
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
