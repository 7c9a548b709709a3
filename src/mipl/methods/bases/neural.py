"""NeuralClassifier: a network trained on batches, and NeuralBagClassifier: of bags."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import torch
from sklearn.base import clone
from torch import nn

from mipl.data.bag_weights import bag_weights
from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.scaling import PerInstance
from mipl.errors import MiplError
from mipl.methods.bases.base import Floats, validation_pair
from mipl.methods.bases.draw_size import AUTO, draw_size
from mipl.methods.bases.epochwise import EpochwiseClassifier
from mipl.methods.bases.fitted_network import AttendingNetwork, FittedNetwork
from mipl.methods.bases.warm_start import go_on
from mipl.methods.saving.fingerprint import fingerprint, sketch
from mipl.nn.attention import Attention
from mipl.nn.encoders import (
    ENCODERS,
    LinearEncoder,
    Standardise,
    build_encoder,
)
from mipl.nn.initialisation import initialise
from mipl.nn.network import BagNetwork
from mipl.nn.own_encoder import OwnEncoder
from mipl.nn.stacked import separate
from mipl.parameters import choice, flag, integers, number, part, seed
from mipl.seeds import as_seed, stream, stream_seed
from mipl.training.batches import BagWeights, BatchSource
from mipl.training.checkpoint import Checkpoint
from mipl.training.distributed import ALONE, Alone, joined
from mipl.training.keeping import Keeper
from mipl.training.network_fit import NetworkFit, start
from mipl.training.options import Training
from mipl.training.progress import EpochReports, with_callbacks
from mipl.training.settings import torch_settings
from mipl.training.state import TrainingState
from mipl.training.stopping import EarlyStopping, Validation, hold_out

_ENOUGH = 2000  # Instances that tell the spread of an embedding.


class NeuralClassifier(EpochwiseClassifier, FittedNetwork, kw_only=True):
    """Base of the methods that train a network, whatever it looks like.

    A leaf overrides hooks: make a ``_new_module``, compute the ``_loss`` terms, and
    ``_update`` the label weights.
    """

    scaling: str = choice(
        'Whether features are standardised with the training instances; "auto" leaves '
        "instances of a declared shape (images) as they are.",
        ("auto", "standard", "none"),
        default="auto",
        together="differ",
    )
    training: Training | None = part(
        "All about optimisation; by default as the method wants it.",
        Training,
        default=None,
    )
    random_state: Any = seed("Of all that is drawn; None is 0.", default=None)
    warm_start: bool = flag(
        "Whether the next fit goes on from what the last one has learnt.",
        default=False,
    )

    # Whether runs can be trained together: the loss and the update of the label weights
    # take a first axis of runs.
    _stacks: ClassVar[bool] = False

    # -- hooks -----------------------------------------------------------------------

    def _tau_after(self, epoch: int) -> float:
        """Return the temperature of predictions once this epoch is done."""
        return 1.0

    def _first_weights(self, candidates: Candidates) -> Floats:
        """Return the label weights before the first step, (m, k)."""
        return candidates.initial_weights()

    def _prepare(self, state: TrainingState, source: BatchSource) -> None:
        """Put into ``state.own`` what the method keeps besides its label weights."""

    def _default_training(self) -> Training:
        return Training()

    # -- fit -------------------------------------------------------------------------

    def _goes_on(self) -> bool:
        return self.warm_start and "module_" in vars(self)

    def _accept(self, X: Any, y: Any) -> tuple[Bags, Candidates]:
        bags, candidates = super()._accept(X, y)
        self.trained_on_ = sketch(bags, candidates)
        if self._past.get("trained_on_") != self.trained_on_:
            # Of other bags nothing was believed yet.
            old = self._past.items()
            self._past = {n: one for n, one in old if n != "kept_weights_"}
        return bags, candidates

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        checkpoint: Checkpoint | str | Path | None = None,
        *,
        sample_weight: Any = None,
        class_weight: Any = None,
        validation: Any = None,
        **refused: Any,
    ) -> Self:
        """Learn from bags and their candidate sets.

        After Ctrl-C, or a loss that is no longer finite, the model is that of the last
        finished epoch. With ``warm_start`` a fitted model is trained further.

        Parameters
        ----------
        X : Bags or what builds them
            A list of (n_i, d) arrays, a 3-D array, or a 2-D array (bags of one).
        y : Candidates or what builds them
            A (m, k) matrix, a list of sets of class names, or 1-D labels (sets of one).
        checkpoint : Checkpoint or path, optional
            Where to keep the state of the training, and to go on from if it is there.
        sample_weight : (m,) numbers, optional
            How much each bag counts in the loss and in the scaling of features; only
            their proportions matter. A bag of weight 0 is not trained on: its label
            weights stay what they were.
        class_weight : mapping of class to number, or "balanced", optional
            A bag counts as its candidates' classes do, on average over what it starts
            to believe; "balanced" gives all classes the same share.
        validation : (X, y), optional
            Bags that are not trained on: ``history_`` has their figures, and with
            ``Training(stop_on=...)`` they are what decides, and no bag is held out.
        """
        self._refuse(refused)
        return self._learn(
            X,
            y,
            checkpoint=Checkpoint.of(checkpoint),
            weighing=(sample_weight, class_weight),
            validation=validation,
        )

    def _fit(
        self,
        bags: Bags,
        candidates: Candidates,
        checkpoint: Checkpoint | None = None,
        weighing: tuple[Any, Any] = (None, None),
        validation: Any = None,
    ) -> None:
        before = self._past.get("kept_weights_")
        weights = bag_weights(*weighing, candidates)
        watched = None if validation is None else self._watched(validation)
        options = self._with_draw_size(self._options(), bags, candidates)
        absent = None if weights is None else weights == 0
        if weights is None or absent is None or not absent.any():
            self._train(bags, candidates, options, checkpoint, weights, watched)
            return
        if len(options.record_bags):
            raise MiplError(
                "record_bags of Training counts all bags, and some have the weight 0; "
                "leave those out of the data, or record_bags out."
            )
        left = weights[~absent]
        some = None if np.ptp(left) == 0 else left
        here = np.flatnonzero(~absent)
        if before is not None:
            self._past = {**self._past, "kept_weights_": before[here]}
        self._train(bags[here], candidates[here], options, checkpoint, some, watched)
        whole = self._first_weights(candidates) if before is None else before
        self.label_weights_ = _filled(whole, here, self.label_weights_)
        self.kept_weights_ = _filled(whole, here, self.kept_weights_)

    def _train(
        self,
        bags: Bags,
        candidates: Candidates,
        options: Training,
        checkpoint: Checkpoint | None,
        weights: Floats | None,
        watched: Validation | None,
    ) -> None:
        with torch_settings(options.threads), joined(options) as team:
            self._begin(
                bags, candidates, options, checkpoint, team, weights, watched
            ).run()

    def _watched(self, validation: Any) -> Validation:
        """Read bags to look at, in the columns of the classes that are learnt."""
        given, labels = validation_pair(validation)
        bags = self._as_bags(given)
        return Validation(bags, self._known_candidates(labels, len(bags)))

    def _with_draw_size(
        self, options: Training, bags: Bags, candidates: Candidates
    ) -> Training:
        """Put a number in the place of ``instances_per_bag="auto"``."""
        if options.instances_per_bag == AUTO:
            number = draw_size(self, bags, candidates, options)
            options = clone(options).set_params(instances_per_bag=number)
        return options

    def _begin(
        self,
        bags: Bags,
        candidates: Candidates,
        options: Training,
        checkpoint: Checkpoint | None = None,
        team: Alone = ALONE,
        weights: Floats | None = None,
        watched: Validation | None = None,
    ) -> NetworkFit:
        """Return all that the training needs, up to its first epoch."""
        self.instances_per_bag_ = options.instances_per_bag
        seed = as_seed(self.random_state)
        source, state = self._new_state(bags, candidates, options, seed, weights)
        source.part = team.part
        trained, held = np.arange(len(candidates)), np.arange(0)
        if watched is None or options.stop_on is None:
            trained, held = hold_out(candidates, options, seed)
        stopping = None
        if len(held):
            stopping = EarlyStopping(options, bags[held], candidates[held])
        elif watched is not None and options.stop_on is not None:
            stopping = EarlyStopping(
                options, watched.bags, watched.candidates, "validation"
            )
        if weights is not None:
            values = torch.tensor(weights / weights[trained].mean()).to(state.w)
            source.weighing = BagWeights(values)
        keeper = Keeper(
            checkpoint,
            lambda: fingerprint(
                self, bags, candidates, options, seed, team.size, weights, watched
            ),
            state,
            stopping,
            team,
        )
        return NetworkFit(
            method=self,
            state=state,
            options=options,
            keeper=keeper,
            stopping=stopping,
            validation=watched,
            reports=EpochReports(self, options.epochs, bags, candidates),
            source=source,
            seed=seed,
            trained=trained,
        )

    def _new_state(
        self,
        bags: Bags,
        candidates: Candidates,
        options: Training,
        seed: int,
        weights: Floats | None = None,
    ) -> tuple[BatchSource, TrainingState]:
        device, dtype = options.torch_device(), options.torch_dtype()
        self.instance_shape_ = bags.instance_shape
        module = self._new_module(len(candidates.classes))
        own = [layer for layer in module.modules() if isinstance(layer, OwnEncoder)]
        initialise(module, stream_seed(seed, "init"), kept=nn.ModuleList(own))
        _fill_scaling(module, bags, self.scaling, weights)
        module.to(device=device, dtype=dtype)
        if self._unit_start():
            _rescale(module, bags, seed)
        source = BatchSource(bags, candidates.matrix, device, dtype)
        state = start(module, self._first_weights(candidates), options)
        self._prepare(state, source)
        if self._past:
            go_on(state, self._past)
        return source, state

    def _unit_start(self) -> bool:
        """Whether the embedding starts at unit spread on the training instances."""
        return False

    def _settle(self, state: TrainingState, source: BatchSource) -> None:
        """Keep what training has ended with."""
        # In memory of their own: as parts of one tensor, parameters are pickled with
        # the whole of it each.
        separate(state.module)
        state.module.eval()
        self._remember(state, source)

    def _remember(self, state: TrainingState, source: BatchSource) -> None:
        """Keep what prediction and reports need, as of the state's epoch."""
        self.module_ = state.module
        # Before its first epoch a warm start is the model that it goes on from.
        self.tau_ = self._tau_after(state.epoch) if state.epoch else self._past["tau_"]
        # A copy, whatever the type: training goes on with the original.
        self.label_weights_ = state.w.cpu().numpy().astype(np.float64)
        self.kept_weights_ = self.label_weights_
        past = self._past.get("history_", ())
        self.history_ = [*past, *state.history] if past else state.history
        self.record_ = state.records
        self.n_iter_ = len(self.history_)
        self.best_epoch_ = state.earlier + state.epoch

    def _options(self) -> Training:
        self.check_parameters("training")
        return self._default_training() if self.training is None else self.training


class NeuralBagClassifier(AttendingNetwork, NeuralClassifier, kw_only=True):
    """Base of the methods that embed instances and attend to them.

    A leaf ``_build``s its network around an encoder.
    """

    width: int | Sequence[int] = integers(
        "Length of the embedding; of several, each is one more layer.",
        default=128,
        at_least=1,
    )
    encoder: str | nn.Module = choice(
        'Two convolutions for 28x28 images ("conv"), or one affine map ("linear"). '
        '"auto" takes what fits; "image" does, too, and leaves features that are no '
        "images as they are. A module of one's own, or of Hugging Face, is trained "
        "along.",
        ENCODERS,
        default="auto",
        or_a={"torch.nn.Module": nn.Module},
    )
    dropout: float = number(
        "Share of the embedding dropped in training.",
        default=0.5,
        at_least=0,
        at_most=0.95,
    )

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> BagNetwork:
        raise NotImplementedError

    def _new_module(self, n_classes: int) -> BagNetwork:
        encoder, width = build_encoder(
            self.encoder,
            self.n_features_in_,
            self.instance_shape_,
            self.width,
            self.dropout,
            self._options().batch_instances,
        )
        return self._build(encoder, width, n_classes)

    def _network(
        self, encoder: nn.Module, attention: Attention, head: nn.Module
    ) -> BagNetwork:
        return BagNetwork(Standardise(self.n_features_in_), encoder, attention, head)


def _rescale(module: BagNetwork, bags: Bags, seed: int) -> None:
    if isinstance(module.encoder, LinearEncoder):
        order = stream(seed, "unit start").permutation(bags.n_instances)
        x = torch.tensor(bags.rows(np.sort(order[:_ENOUGH])))
        parameter = next(module.parameters())
        module.encoder.unit_start(module.scaling(x.to(parameter)))


def _filled(whole: Floats, here: npt.NDArray[np.int64], values: Floats) -> Floats:
    """Return a copy of a table with other values in some rows."""
    filled = whole.copy()
    filled[here] = values
    return filled


def _fill_scaling(
    module: BagNetwork, bags: Bags, scaling: str, weights: Floats | None
) -> None:
    if scaling == "none" or (scaling == "auto" and bags.instance_shape is not None):
        return
    scaler = PerInstance().fit(bags, sample_weight=weights).transformer_
    layer = module.scaling
    layer.mean = torch.as_tensor(scaler.mean_, dtype=torch.float64)
    layer.scale = torch.as_tensor(scaler.scale_, dtype=torch.float64)
