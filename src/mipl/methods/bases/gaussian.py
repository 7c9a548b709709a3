"""GaussianClassifier: Gaussian processes on the instances of bags."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.errors import Diverged, MiplError
from mipl.methods.bases.epochwise import EpochwiseClassifier
from mipl.methods.bases.fitted_processes import FittedProcesses, import_gp
from mipl.methods.saving.fingerprint import fingerprint
from mipl.seeds import as_seed
from mipl.training.adam import Adam
from mipl.training.checkpoint import Checkpoint
from mipl.training.distributed import ALONE
from mipl.training.keeping import Keeper
from mipl.training.options import Training
from mipl.training.progress import EpochReports
from mipl.training.settings import torch_settings
from mipl.training.state import TrainingState

if TYPE_CHECKING:
    from mipl.nn.gp import ClasswiseGP, ExactRegression, SparseRegression


@dataclass(eq=False)
class Course:
    """A training under way: what moves is in ``state``, label weights among it."""

    bags: Bags
    candidates: Candidates
    gp: ClasswiseGP
    x: Tensor  # (N, d)
    points: Tensor | None  # (M, d) inducing points; None for exact regression
    sets: Tensor  # (N, q + 1) labels that an instance may have
    first: Tensor  # (N, q + 1) their weights at first
    adam: Adam = field(init=False)
    state: TrainingState = field(init=False)
    regression: ExactRegression | SparseRegression = field(init=False)

    def __post_init__(self) -> None:
        learnt = [p for p in self.gp.parameters() if p.requires_grad]
        module: Any = self.gp
        w = self.first.clone()
        self.adam = Adam(learnt)
        self.state = TrainingState(module, self.adam, w, w.new_zeros(0))

    def regress(self, variances: Tensor) -> None:
        """Regress with the processes as they are now."""
        gp = import_gp()
        if self.points is None:
            self.regression = gp.ExactRegression(self.gp, self.x, variances)
        else:
            self.regression = gp.SparseRegression(
                self.gp, self.x, variances, self.points
            )

    def descend(self, loss: Tensor) -> None:
        """Take one step of Adam, unless it leads nowhere."""
        self.adam.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.adam.step()
        numbers = [loss, *self.gp.parameters()]
        if not all(bool(torch.isfinite(value).all()) for value in numbers):
            raise Diverged(
                "the loss or a parameter of the Gaussian processes is not finite after "
                f"epoch {self.state.epoch + 1}; lower training__lr or scale the "
                "features."
            )


class GaussianClassifier(EpochwiseClassifier, FittedProcesses):
    """Base of the methods that learn processes, one iteration being an epoch.

    A leaf overrides four hooks: ``_begin`` a course; take a ``_step``, which moves
    processes and labels and returns the loss; and give the ``_variances`` of the
    targets and the ``_final_targets`` of predictions as they are now.
    """

    random_state: Any

    def _begin(
        self, bags: Bags, candidates: Candidates, options: Training, seed: int
    ) -> Course:
        raise NotImplementedError

    def _step(self, course: Course) -> float:
        raise NotImplementedError

    def _variances(self, course: Course) -> Tensor:
        raise NotImplementedError

    def _final_targets(self, course: Course) -> Tensor:
        raise NotImplementedError

    def _fit(
        self,
        bags: Bags,
        candidates: Candidates,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        options = self._options()
        seed = as_seed(self.random_state)
        with torch_settings(options.threads):
            course = self._begin(bags, candidates, options, seed)
            keeper = Keeper(
                checkpoint,
                lambda: fingerprint(self, bags, candidates, options, seed, 1),
                course.state,
                None,
                ALONE,
            )
            try:
                with keeper.at_work():
                    self._train(course, options, keeper)
            except (Diverged, KeyboardInterrupt):
                self._fall_back(course)
                raise

    def _train(self, course: Course, options: Training, keeper: Keeper) -> None:
        """Run the remaining epochs."""
        state = course.state
        reports = EpochReports(self, options.epochs, course.bags, course.candidates)
        stop = keeper.resume()
        course.regress(self._variances(course))
        while not stop and state.epoch < options.epochs:
            keeper.after_step()  # A signal may have come while the last one was told.
            lr = options.learning_rate(state.epoch + 1)
            course.adam.set_rate(lr)
            loss = self._step(course)
            course.regress(self._variances(course))
            state.finish_epoch()
            state.history.append(_figures(course, loss, lr))
            self._remember(course)
            stop = reports.epoch(state.history[-1], dict(vars(self)))
            stop = keeper.after_epoch(stop, state.epoch == options.epochs)
        self._remember(course)
        reports.finish()

    def _fall_back(self, course: Course) -> None:
        """Stay with the last finished epoch; without one, unfitted."""
        last = course.state.last
        if last is None:
            return self._forget()
        last.restore(course.state)
        course.regress(self._variances(course))
        self._remember(course)

    def _remember(self, course: Course) -> None:
        """Keep what predictions need, as of the state's epoch."""
        with torch.no_grad():
            self.summary_ = course.regression.summary(self._final_targets(course))
        self.gp_ = course.gp
        self.history_ = course.state.history
        self.n_iter_ = len(self.history_)
        sums = np.add.reduceat(
            course.state.w[:, :-1].cpu().numpy(), course.bags.offsets[:-1]
        )
        # So that weights that have vanished can be shared out.
        w = (sums + np.finfo(np.float64).tiny) * course.candidates.matrix  # (m, k)
        self.label_weights_ = w / w.sum(axis=1, keepdims=True)

    def _options(self) -> Training:
        options = super()._options()
        if options.stop_on is not None or len(options.record_bags):
            raise MiplError(
                f"{type(self).__name__} neither stops early nor records bags; leave "
                "stop_on and record_bags of Training as they are."
            )
        return options


def _figures(course: Course, loss: float, lr: float) -> dict[str, float]:
    return {
        "epoch": float(course.state.epoch),
        "loss": loss,
        "lr": lr,
        "scale": float(course.gp.scale.detach()),
        "length": float(course.gp.length.detach()),
    }
