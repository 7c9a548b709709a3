"""POP: progressive purification of candidate sets (ICML 2023)."""

from __future__ import annotations

from torch import Tensor

from mipl.methods.bases.partial_network import PartialLabelNetwork, plain_sgd
from mipl.nn.network import Output
from mipl.objectives import purified, softmax_on, weighted_log_loss
from mipl.parameters import COUNT, integer, number, redeclared
from mipl.training.batches import Batch, BatchSource
from mipl.training.options import Training
from mipl.training.state import Clock, TrainingState

_MOST_THETA = 0.4
_FEW = 1e-4  # Share of all labels: with fewer dropped at once, theta grows.


class POP(PartialLabelNetwork):
    """Partial-label learning from candidate sets that shrink.

    Training is that of ``PRODEN``, on the candidates that are left. After the warm-up,
    every ``window`` epochs, a candidate is dropped for good where its weight, averaged
    over these epochs, is far below the largest of its row.

    ::

        loss = - sum_{c in M} w_c log p_c,   w = p / sum_{c in M} p_c   on M
        M    = S at first; c leaves M where mean w_c < theta max_b mean w_b
        theta = (1 + increment) theta where few labels left, up to 0.4

    The strongest candidate of a row never leaves. The publication compares a difference
    of outputs; its program, followed here, the ratio. The published three views of an
    image are one view of a vector.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sets = [{label, (label + row % 3) % 3} for row, label in enumerate(y)]
    >>> bool(POP().fit(X, sets).score(X, y) > 0.8)
    True

    References
    ----------
    Xu, Liu, Lv, Qiao, Geng: Progressive purification for instance-dependent partial
    label learning. ICML 2023.
    """

    theta: float = number(
        "Share of the largest weight that a candidate needs.",
        default=1e-3,
        at_least=0,
        at_most=1,
    )
    increment: float = number(
        "At the published 0.001 theta hardly moves; 0.05 and 0.5 are worth a try.",
        default=1e-3,
        at_least=0,
    )
    window: int = integer(
        "Epochs averaged, and between two purifications.",
        default=5,
        at_least=1,
        bearable=COUNT,
    )
    warm_up: int = integer(
        "Epochs before the first purification.", default=20, at_least=0, bearable=COUNT
    )
    training: Training | None = redeclared(
        default=None,
        about="By default 500 epochs of 256 rows per step; the rate falls by a cosine "
        "where the publication cuts it after 100 and 150 epochs.",
    )

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        return {"classification": batch.mean(weighted_log_loss(out.log_p, w))}

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        kept = clock.own["kept"].view(-1, w.shape[-1]).index_select(0, batch.bags)
        return softmax_on(out.log_p.detach(), kept.view(w.shape))

    def _prepare(self, state: TrainingState, source: BatchSource) -> None:
        state.own = {
            "kept": source.candidates.clone(),  # (m, k)
            "recent": state.w.new_zeros(self.window, *state.w.shape),  # (T, m, k)
            "theta": state.w.new_tensor([self.theta]),
        }

    def _end_epoch(self, state: TrainingState, clock: Clock) -> None:
        kept, recent, theta = (state.own[n] for n in ("kept", "recent", "theta"))
        done = clock.epoch - 1  # The publication counts from 0.
        recent[done % self.window] = state.w
        if done < self.warm_up or done % self.window:
            return
        w, left = purified(recent, kept, theta)
        dropped = int((kept & ~left).sum())
        state.w.copy_(w)
        kept.copy_(left)
        if float(theta) < _MOST_THETA and dropped < _FEW * kept.numel():
            theta.mul_(1 + self.increment)

    def _default_training(self) -> Training:
        return plain_sgd(epochs=500, lr=0.05, weight_decay=1e-3, schedule="cosine")
