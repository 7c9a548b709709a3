"""The mean of the parameters over the epochs, which predicts in place of the last."""

from __future__ import annotations

from torch import Tensor


class RunningMean:
    """Parameters that between two epochs are their mean over the epochs so far.

    ::

        mean_t = mean_{t-1} + (1 - d) / (1 - d^t) (values_t - mean_{t-1})

    So an epoch counts d times as much as the next, and the starting values nothing.
    While an epoch is under way, the parameters are those that move.

    Parameters
    ----------
    values : (S, P)
        Of each run; they are written to.
    decay : float
        The d above.

    Examples
    --------
    >>> import torch
    >>> values = torch.zeros(1, 1)
    >>> mean, seen = RunningMean(values, 0.5), []
    >>> for epoch in (1, 2):
    ...     mean.begin_epoch()
    ...     values += 3.0
    ...     mean.end_epoch(epoch)
    ...     seen.append(values.item())
    >>> seen  # Of 3, and of 3 and 6.
    [3.0, 5.0]
    """

    def __init__(self, values: Tensor, decay: float) -> None:
        self.values, self.decay = values, decay
        self.other = values.clone()  # The mean in an epoch, what moves between two.
        self.between = values.new_zeros(len(values))  # (S,) 1 between two epochs.

    def begin_epoch(self) -> None:
        """Go on with what moves, if that is put aside."""
        if bool(self.between[0]):
            self._exchange()

    def end_epoch(self, epoch: int) -> None:
        """Take what has moved into the mean, and put the mean in its place."""
        self.other.lerp_(self.values, (1 - self.decay) / (1 - self.decay**epoch))
        self._exchange()

    def buffers(self) -> dict[str, Tensor]:
        """Return what is to be kept, by name."""
        return {"other_values": self.other, "between": self.between}

    def _exchange(self) -> None:
        before = self.values.clone()
        self.values.copy_(self.other)
        self.other.copy_(before)
        self.between.sub_(1).abs_()
