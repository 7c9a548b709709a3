"""EpochwiseClassifier: what is learnt epoch by epoch can be watched and resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

from torch import Tensor

from mipl.methods.bases.base import BagClassifier
from mipl.training.checkpoint import Checkpoint
from mipl.training.progress import CallbackSupportMixin, with_callbacks
from mipl.training.state import Clock, TrainingState


class EpochwiseClassifier(
    CallbackSupportMixin,  # type: ignore[misc]
    BagClassifier,
):
    """Base of the methods with epochs: callbacks hear of them, checkpoints keep them.

    A leaf overrides hooks of the training loop: it computes the ``_loss`` terms and
    may ``_update`` label weights and have a ``_clock`` of its own. Its ``_fit`` takes a
    checkpoint beside bags and candidates.
    """

    # Whether an epoch may have several steps, on some bags each.
    _in_batches: ClassVar[bool] = True

    # -- hooks -----------------------------------------------------------------------

    def _loss(self, out: Any, batch: Any, w: Tensor, clock: Clock) -> dict[str, Tensor]:
        raise NotImplementedError

    def _update(self, out: Any, batch: Any, w: Tensor, clock: Clock) -> Tensor:
        return w

    def _clock(self, epoch: int, epochs: int) -> Clock:
        return Clock(epoch, epochs)

    def _updates_first(self) -> bool:
        """Tell whether the loss has the label weights of its own step."""
        return False

    def _updates_late(self) -> bool:
        """Tell whether the label weights come from a look after the step."""
        return False

    def _end_epoch(self, state: TrainingState, clock: Clock) -> None:
        """Look at all label weights, once the steps of an epoch are done."""

    # -- fit -------------------------------------------------------------------------

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        checkpoint: Checkpoint | str | Path | None = None,
        **refused: Any,
    ) -> Self:
        """Learn from bags and their candidate sets.

        After Ctrl-C, or a loss that is no longer finite, the model is that of the last
        finished epoch.

        Parameters
        ----------
        X : Bags or what builds them
            A list of (n_i, d) arrays, a 3-D array, or a 2-D array (bags of one).
        y : Candidates or what builds them
            A (m, k) matrix, a list of sets of class names, or 1-D labels (sets of one).
        checkpoint : Checkpoint or path, optional
            Where to keep the state of the training, and to go on from if it is there.
        """
        self._refuse(refused)
        return self._learn(X, y, checkpoint=Checkpoint.of(checkpoint))
