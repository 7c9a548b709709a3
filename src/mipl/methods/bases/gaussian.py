"""GaussianClassifier: Gaussian processes on the instances of bags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.errors import MiplError
from mipl.methods.bases.epochwise import EpochwiseClassifier
from mipl.methods.bases.fitted_processes import FittedProcesses, import_gp
from mipl.methods.saving.fingerprint import fingerprint
from mipl.parameters import seed
from mipl.seeds import as_seed
from mipl.training.adam import Adam
from mipl.training.checkpoint import Checkpoint
from mipl.training.distributed import ALONE
from mipl.training.keeping import Keeper
from mipl.training.options import Training
from mipl.training.progress import EpochReports
from mipl.training.settings import torch_settings
from mipl.training.single_fit import SingleFit
from mipl.training.state import Clock, TrainingState

if TYPE_CHECKING:
    from mipl.nn.gp import (
        ClasswiseGP,
        ConjugateRegression,
        ExactRegression,
        RegressionSummary,
        SparseRegression,
    )

Regression: TypeAlias = "ExactRegression | SparseRegression"


@dataclass(frozen=True, eq=False)
class AllInstances:
    """The training instances, which make one step: what a method labels them with."""

    x: Tensor  # (N, d)
    points: Tensor | None  # (M, d) inducing points, where the instances are many
    few: Tensor | None  # (n,) rows that the prior is learnt on; None for all
    sets: Tensor  # (N, q + 1) labels that an instance may have
    first: Tensor  # (N, q + 1) their weights at first

    def __len__(self) -> int:
        """Return what an epoch's figures are divided by: it has one step."""
        return 1

    def part(self, table: Tensor) -> Tensor:
        """Return the rows of a table, (N, ...), that the prior is learnt on."""
        return table if self.few is None else table[self.few]


@dataclass(eq=False, kw_only=True)
class ProcessFit(SingleFit):
    """A fit of processes: an epoch is one step on all instances.

    A look at them is a regression with the processes as they are. Where the prior is
    learnt on few instances, all are regressed on once, when it is learnt.
    """

    method: GaussianClassifier
    bags: Bags
    candidates: Candidates
    gp: ClasswiseGP
    batch: AllInstances
    regression: Regression | None = None  # with the processes as they are
    whole: ConjugateRegression | None = None  # on all instances, with the last ones

    def deal(self, clock: Clock) -> Iterator[AllInstances]:
        """Give all instances, once."""
        if self.state.step == 0:
            yield self.batch

    def look(self, batch: AllInstances, clock: Clock) -> Regression:
        """Return a regression; a step is to come, or was just taken."""
        found, self.regression = self.regressed(), None
        return found

    def regressed(self) -> Regression:
        """Return the regression with the processes as they are."""
        if self.regression is None:
            self.regression = self._regress()
        return self.regression

    def _regress(self) -> Regression:
        gp, batch = import_gp(), self.batch
        x, variances = batch.part(batch.x), batch.part(self._variances())
        found: Regression = (
            gp.ExactRegression(self.gp, x, variances)
            if batch.points is None or batch.few is not None
            else gp.SparseRegression(self.gp, x, variances, batch.points)
        )
        return found

    def _variances(self) -> Tensor:
        return self.method._variances(self.batch, self.state.w)  # (N, q + 1)

    def summary(self) -> RegressionSummary:
        """Return what predictions need, as of the last epoch."""
        targets = self.method._final_targets(self.batch, self.state.w)
        if self.whole is not None:
            return self.whole.summary(targets)
        return self.regressed().summary(self.batch.part(targets))

    def finish(self) -> None:
        """Regress on all instances, if that is still to be done."""
        batch = self.batch
        if batch.few is not None:
            self.whole = import_gp().ConjugateRegression(
                self.gp, batch.x, self._variances(), batch.points, self.method.memory
            )
        super().finish()

    def weights(self, batch: AllInstances) -> Tensor:
        """Return the label weights of the instances."""
        return self.state.w  # (N, q + 1)

    def keep(self, batch: AllInstances, w: Tensor, out: Any) -> None:
        """Keep their new label weights."""
        self.state.w.copy_(w)

    def n_bags(self) -> int:
        """Return the number of steps."""
        return len(self.batch)

    def check(self, clock: Clock) -> None:
        """Refuse processes that are not finite, or that nothing can regress with."""
        super().check(clock)
        self.regressed()

    def write_down(self, terms: dict[str, float], clock: Clock) -> None:
        """Append the loss, and the kernel after the step."""
        figures = {"lr": self.options.learning_rate(clock.epoch)}
        figures["scale"] = float(self.gp.scale.detach())
        figures["length"] = float(self.gp.length.detach())
        self.state.history.append({"epoch": float(clock.epoch), **terms, **figures})

    def remember(self) -> None:
        """Give the estimator what predictions need, as of the last epoch."""
        self.method._remember(self)


class GaussianClassifier(EpochwiseClassifier, FittedProcesses, kw_only=True):
    """Base of the methods that learn processes, one step being an epoch.

    A leaf says what it labels ``_all_instances`` with, and gives the ``_variances`` of
    the targets and the ``_final_targets`` of predictions. Its ``_loss`` and ``_update``
    see a regression in place of a network's output.
    """

    random_state: Any = seed(
        "Of the draws and of the inducing points; None is 0.", default=None
    )

    # -- hooks -----------------------------------------------------------------------

    def _all_instances(
        self, bags: Bags, candidates: Candidates, options: Training, seed: int
    ) -> AllInstances:
        raise NotImplementedError

    def _variances(self, batch: AllInstances, w: Tensor) -> Tensor:
        raise NotImplementedError

    def _final_targets(self, batch: AllInstances, w: Tensor) -> Tensor:
        raise NotImplementedError

    # -- fit -------------------------------------------------------------------------

    def _fit(
        self,
        bags: Bags,
        candidates: Candidates,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        options = self._options()
        with torch_settings(options.threads):
            self._begin(bags, candidates, options, checkpoint).run()

    def _begin(
        self,
        bags: Bags,
        candidates: Candidates,
        options: Training,
        checkpoint: Checkpoint | None = None,
    ) -> ProcessFit:
        """Return all that the training needs, up to its first step."""
        seed = as_seed(self.random_state)
        batch = self._all_instances(bags, candidates, options, seed)
        gp = self._prior(batch.sets.shape[1]).to(options.torch_device())
        module: Any = gp  # What moves, in place of a network.
        adam, w = Adam(gp.parameters(), options), batch.first.clone()
        state = TrainingState(module, adam, w, w.new_zeros(0))
        keeper = Keeper(
            checkpoint,
            lambda: fingerprint(self, bags, candidates, options, seed, ALONE.size),
            state,
            None,
            ALONE,
        )
        return ProcessFit(
            method=self,
            state=state,
            options=options,
            keeper=keeper,
            reports=EpochReports(self, options.epochs, bags, candidates),
            bags=bags,
            candidates=candidates,
            gp=gp,
            batch=batch,
        )

    def _remember(self, fit: ProcessFit) -> None:
        """Keep what predictions need, as of the fit's epoch."""
        w = fit.state.w
        with torch.no_grad():
            self.summary_ = fit.summary()
        if self.predict_by == "means":
            self.summary_ = self.summary_.means_only()
        self.gp_ = fit.gp
        self.history_ = fit.state.history
        self.n_iter_ = len(self.history_)
        sums = np.add.reduceat(w[:, :-1].cpu().numpy(), fit.bags.offsets[:-1])
        # So that weights that have vanished can be shared out.
        shares = (sums + np.finfo(np.float64).tiny) * fit.candidates.matrix  # (m, k)
        self.label_weights_ = shares / shares.sum(axis=1, keepdims=True)

    def _options(self) -> Training:
        options = super()._options()
        if options.stop_on is not None or len(options.record_bags):
            raise MiplError(
                f"{type(self).__name__} neither stops early nor records bags; leave "
                "stop_on and record_bags of Training as they are."
            )
        return options
