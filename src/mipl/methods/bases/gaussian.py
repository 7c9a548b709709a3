"""GaussianClassifier: Gaussian processes on the instances of bags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
import torch
from pydantic import PositiveInt
from torch import Tensor

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.errors import MiplError
from mipl.methods.bases.base import Floats
from mipl.methods.bases.epochwise import EpochwiseClassifier
from mipl.methods.saving.fingerprint import fingerprint
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.parameters import choice, flag, learnt, number, part, seed
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
        DistinctRows,
        ExactRegression,
        Observations,
        SparseRegression,
        Summary,
    )

Regression: TypeAlias = "ExactRegression | SparseRegression"

# Of Training: what only steps of stochastic descent on some bags have.
_OF_BATCHES = (
    "optimiser",
    "momentum",
    "nesterov",
    "weight_decay",
    "clip",
    "order",
    "batch_size",
    "batch_instances",
)


@dataclass(frozen=True, eq=False)
class Few:
    """Instances that stand for many while the prior is learnt."""

    rows: Tensor  # (n,) their numbers
    distinct: DistinctRows  # of all instances, which are regressed on once it is learnt


@dataclass(frozen=True, eq=False)
class AllInstances:
    """The training instances, which make one step: what a method labels them with."""

    x: Tensor  # (N, d)
    points: Tensor | None  # (M, d) inducing points, where the method wants them
    few: Few | None  # that the prior is learnt on; None for all
    sets: Tensor  # (N, q + 1) labels that an instance may have
    first: Tensor  # (N, q + 1) their weights at first

    def __len__(self) -> int:
        """Return what an epoch's figures are divided by: it has one step."""
        return 1

    def part(self, table: Tensor) -> Tensor:
        """Return the rows of a table, (N, ...), that the prior is learnt on."""
        return table if self.few is None else table[self.few.rows]


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
    whole: Summary | None = None  # of all instances, with the last ones

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
        x, noise = batch.part(batch.x), batch.part(self._noise())
        found: Regression = (
            gp.ExactRegression(self.gp, x, noise)
            if batch.points is None or batch.few is not None
            else gp.SparseRegression(self.gp, x, noise, batch.points)
        )
        return found

    def _noise(self) -> Tensor:
        """Return the variances of the targets, what is learnt of them with it."""
        given = self.method._variances(self.batch, self.state.w)
        return given + self.gp.noise  # (N, q + 1)

    def _targets(self) -> Tensor:
        return self.method._final_targets(self.batch, self.state.w)  # (N, q + 1)

    def summary(self) -> Summary:
        """Return what predictions need, as of the last epoch."""
        if self.whole is not None:
            return self.whole
        targets = self.batch.part(self._targets())
        return self.regressed().summary(targets, self._with_variances())

    def _with_variances(self) -> bool:
        return self.method.predict_by == "draws"

    @torch.no_grad()
    def conclude(self) -> None:
        """Regress on all instances, if that is still to be done."""
        few = self.batch.few
        if few is not None:
            seen = few.distinct.observed(self._targets(), self._noise())
            self.whole = self.method._regress_on_all(self, seen)

    def iterated(self, regression: ConjugateRegression) -> Summary:
        """Iterate a regression, from where a checkpoint stands, until it is done."""
        told = self.reports and self.reports.inside("regression", "iteration")
        stop = False
        while not (stop or regression.done()):
            regression.iterate()
            self.keeper.after_step()
            n = regression.iterations
            figures = {"iteration": float(n), "residual": regression.error()}
            stop = bool(told and told.epoch(figures, dict(vars(self.method))))
            self.keeper.after_iteration(n, stop or regression.done())
        if told:
            told.finish()
        return regression.summary(self._with_variances())

    def fall_back(self) -> None:
        """Stay with the last finished epoch; without one, unfitted."""
        self.whole = self.regression = None
        super().fall_back()

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


class GaussianClassifier(EpochwiseClassifier, kw_only=True):
    """Base of the methods that learn processes, one step being an epoch.

    A leaf says what it labels ``_all_instances`` with, and gives the ``_variances`` of
    the targets and the ``_final_targets`` of predictions. Its ``_loss`` and ``_update``
    see a regression in place of a network's output.
    """

    _in_batches: ClassVar[bool] = False

    mean: str = choice(
        "Prior mean: zero (paper), or learnt for each class (program).",
        ("constant", "zero"),
        default="constant",
    )
    length: float | None = number(
        "Length of the kernel; None learns it (program).", default=None, above=0
    )
    extra_noise: bool = flag(
        "Whether a noise per class is learnt beside sigma2 (program).", default=True
    )
    nu: float = choice(
        "Smoothness of the kernel; 0.5 for Newsgroups-MIPL in the paper.",
        (0.5, 1.5, 2.5),
        default=2.5,
    )
    predict_by: str = choice(
        "Whether probabilities are averaged over joint draws of the processes "
        "(program), or those of the posterior means, for which no variances are kept.",
        ("draws", "means"),
        default="draws",
    )
    training: Training | None = part(
        "Of it epochs (iterations), lr, schedule, device and threads count; the "
        "optimiser is Adam, and all instances make one step.",
        Training,
        default=None,
    )
    random_state: Any = seed(
        "Of the draws and of the inducing points; None is 0.", default=None
    )

    gp_: ClasswiseGP = learnt()
    summary_: Summary = learnt()

    # -- hooks -----------------------------------------------------------------------

    def _all_instances(
        self, bags: Bags, candidates: Candidates, options: Training, seed: int
    ) -> AllInstances:
        raise NotImplementedError

    def _variances(self, batch: AllInstances, w: Tensor) -> Tensor:
        raise NotImplementedError

    def _final_targets(self, batch: AllInstances, w: Tensor) -> Tensor:
        raise NotImplementedError

    def _regress_on_all(self, fit: ProcessFit, seen: Observations) -> Summary:
        """Regress with the learnt prior, where it was learnt on few instances."""
        raise NotImplementedError

    def _prepare(self, state: TrainingState, batch: AllInstances) -> None:
        """Put into ``state.own`` what that regression keeps between iterations."""

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
        self._prepare(state, batch)
        keeper = Keeper(
            checkpoint,
            lambda: fingerprint(self, bags, candidates, options, seed, ALONE.size),
            state,
            None,
            ALONE,
        )
        parts = options.epochs + bool(state.own)  # The last is the regression on all.
        return ProcessFit(
            method=self,
            state=state,
            options=options,
            keeper=keeper,
            reports=EpochReports(self, parts, bags, candidates),
            bags=bags,
            candidates=candidates,
            gp=gp,
            batch=batch,
        )

    def _prior(self, n_classes: int) -> ClasswiseGP:
        prior: ClasswiseGP = import_gp().ClasswiseGP(
            n_classes,
            nu=self.nu,
            length=self.length,
            mean=self.mean,
            extra_noise=self.extra_noise,
        )
        return prior

    def _remember(self, fit: ProcessFit) -> None:
        """Keep what predictions need, as of the fit's epoch."""
        w = fit.state.w
        with torch.no_grad():
            self.summary_ = fit.summary()
        self.gp_ = fit.gp
        self.history_ = fit.state.history
        self.n_iter_ = len(self.history_)
        sums = np.add.reduceat(w[:, :-1].cpu().numpy(), fit.bags.offsets[:-1])
        # So that weights that have vanished can be shared out.
        shares = (sums + np.finfo(np.float64).tiny) * fit.candidates.matrix  # (m, k)
        self.label_weights_: Floats = shares / shares.sum(axis=1, keepdims=True)

    def _options(self) -> Training:
        self.check_parameters("training")
        given = self.training
        options = self._default_training() if given is None else given
        if options.stop_on is not None or len(options.record_bags):
            raise MiplError(
                f"{type(self).__name__} neither stops early nor records bags; leave "
                "stop_on and record_bags of Training as they are."
            )
        if options.average is not None or options.instances_per_bag is not None:
            raise MiplError(
                f"{type(self).__name__} learns processes on all instances, with no "
                "mean over epochs; leave average and instances_per_bag of Training as "
                "they are."
            )
        usual = Training()
        unused = [n for n in _OF_BATCHES if getattr(options, n) != getattr(usual, n)]
        if unused:
            raise MiplError(
                f"{type(self).__name__} takes one step of Adam on all instances per "
                f"epoch and has no use for {', '.join(unused)} of Training; leave "
                f"{'it as it is' if len(unused) == 1 else 'them as they are'}."
            )
        return options

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        arrays, facts = super()._state()
        for name, table in self.summary_.tables().items():
            arrays[name] = table.cpu().numpy()
        for name, value in self.gp_.named_parameters():
            arrays[f"gp.{name}"] = value.detach().cpu().numpy()
        arrays["label_weights"] = self.label_weights_
        return arrays, {**facts, "history": self.history_, "n_iter": self.n_iter_}

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        k = len(self.classes_)
        self.history_ = stored.fact("history", list[dict[str, float]])
        self.n_iter_ = stored.fact("n_iter", PositiveInt)
        self.label_weights_ = stored.array("label_weights", (None, k), np.float64)
        self.summary_ = self._stored_summary(stored)
        self.gp_ = self._prior(k + 1)
        with torch.no_grad():
            for name, value in self.gp_.named_parameters():
                given = stored.array(f"gp.{name}", tuple(value.shape), np.float64)
                value.copy_(torch.from_numpy(given))

    def _stored_summary(self, stored: Stored) -> Summary:
        """Return the weights of points that are there."""
        d, c = self.n_features_in_, len(self.classes_) + 1
        either = (np.float32, np.float64)
        points = stored.array("points", (None, d), *either)
        weights = stored.array("weights", (c, len(points)), points.dtype)
        tables, n = {"points": points, "weights": weights}, len(points)
        if stored.holds("centres"):
            tables["centres"] = stored.array("centres", (None, d), np.float64)
            n = len(tables["centres"])
        if self.predict_by == "draws":
            tables["precision"] = stored.array("precision", (c, n, n), np.float64)
        summary: Summary = import_gp().RegressionSummary(
            **{name: torch.from_numpy(table) for name, table in tables.items()}
        )
        return summary


def import_gp() -> Any:
    """Import what needs gpytorch when it is needed."""
    from mipl.nn import gp  # noqa: PLC0415

    return gp
