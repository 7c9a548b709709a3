"""Interrupted runs end with the same bits; what is not the same run is refused."""

import signal

import numpy as np
import pytest
import torch
from tests.training.interrupted import PROBLEM, bits, fit_in_parts, stopped_at
from tests.training.test_batches import OnDisk
from tests.training.test_callbacks import Watcher
from torch import nn

from mipl import MIPLMA, Bags, Checkpoint, MiplError, Training

STEPS = 3  # Per epoch: 12 bags by 4.
EARLY = {"stop_on": "margin_violation_rate", "patience": 2, "holdout": 0.3}
IMAGES = np.random.default_rng(0).random((len(PROBLEM.bags), 2, 1, 28, 28))
CASES = {
    "ours": ({}, {}),
    "paper": (MIPLMA.paper().get_params(deep=False), {}),
    "released": (MIPLMA.released().get_params(deep=False), {}),
    "margins of the whole epoch": ({"margin": "epoch"}, {}),
    "without momentum": ({}, {"momentum": 0.0, "nesterov": False}),
    "float64": ({}, {"dtype": "float64"}),
    "clipped": ({}, {"clip": 0.1}),
    "two threads": ({}, {"threads": 2}),
    "instances drawn": ({}, {"instances_per_bag": 2}),
    "a mean of epochs": ({}, {"average": 0.7}),
    "a mean of epochs, by Adam": ({}, {"average": 0.7, "optimiser": "adam"}),
    "a mean of epochs, early stopping": ({}, {"average": 0.7, **EARLY}),
    "batches by instances": ({}, {"batch_size": None, "batch_instances": 13}),
    "recorded bags": ({}, {"record_bags": (0, 5)}),
    "early stopping": ({}, EARLY),
}


def settings(name):
    arguments, training = CASES[name]
    training = {"epochs": 4, "batch_size": 4, "lr": 0.3} | training
    return {**arguments, "width": 4, "training": Training(**training)}


@pytest.mark.parametrize(
    ("name", "stops"),
    [*((name, (2, 6, 7)) for name in CASES), *(("ours", (n,)) for n in range(1, 13))],
)
def test_an_interrupted_run_ends_with_the_same_bits(name, stops, tmp_path):
    whole = MIPLMA(**settings(name)).fit(PROBLEM.bags, PROBLEM.y)
    kind, path = stopped_at(*stops), tmp_path / "run.checkpoint"
    steps = count_steps(settings(name))
    times = sum(stop <= steps for stop in stops)
    model = fit_in_parts(lambda: kind(**settings(name)), path, times)
    assert bits(model) == bits(whole)
    assert kind.steps == steps, "no step is taken twice, none is left out"
    assert [file.name for file in tmp_path.iterdir()] == ["run.checkpoint"]


def count_steps(arguments):
    counting = stopped_at()
    counting(**arguments).fit(PROBLEM.bags, PROBLEM.y)
    return counting.steps


@pytest.mark.parametrize("stop", [2, 4])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_an_interrupted_run_on_images_ends_with_the_same_bits(stop, momentum, tmp_path):
    bags = Bags(list(IMAGES))
    training = {"epochs": 2, "batch_size": 4, "momentum": momentum, "nesterov": False}
    arguments = {"width": 4, "training": Training(**training)}
    whole = MIPLMA(**arguments).fit(bags, PROBLEM.y)
    kind = stopped_at(stop)
    path = tmp_path / "run.checkpoint"
    model = fit_in_parts(lambda: kind(**arguments), path, 1, bags)
    assert bits(model, bags) == bits(whole, bags)


def test_bags_on_disk_and_in_memory_share_a_checkpoint(tmp_path):
    bags = Bags(PROBLEM.bags)
    there = Bags(OnDisk(bags.instances), bags.offsets)
    kind, path = stopped_at(5), tmp_path / "run.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        kind(**settings("ours")).fit(there, PROBLEM.y, checkpoint=path)
    model = kind(**settings("ours")).fit(bags, PROBLEM.y, checkpoint=path)
    assert bits(model) == bits(MIPLMA(**settings("ours")).fit(bags, PROBLEM.y))


def own_encoder(start=0):
    generator = torch.Generator().manual_seed(start)
    module = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.3), nn.Tanh())
    for parameter in module.parameters():
        nn.init.normal_(parameter, generator=generator)
    return module


def test_an_encoder_of_the_users_resumes_and_must_be_the_same(tmp_path):
    training = Training(epochs=3, batch_size=4)
    whole = MIPLMA(encoder=own_encoder(), training=training)
    whole.fit(PROBLEM.bags, PROBLEM.y)
    kind, path = stopped_at(4), tmp_path / "run.checkpoint"

    def build():
        return kind(encoder=own_encoder(), training=training)

    assert bits(fit_in_parts(build, path, 1)) == bits(whole)
    with pytest.raises(MiplError, match="its values of the encoder is"):
        kind(encoder=own_encoder(1), training=training).fit(
            PROBLEM.bags, PROBLEM.y, checkpoint=path
        )


# -- when it is saved ----------------------------------------------------------------


class Epochs(Watcher):
    """Notes the epoch whose state lies in the file, whenever an epoch ends."""

    def __init__(self, path):
        super().__init__()
        self.path, self.changed = path, []
        self.content = b""

    def on_fit_task_begin(self, estimator, context):
        now = self.path.read_bytes() if self.path.exists() else b""
        if now != self.content:
            self.content = now
            self.changed.append(len(self.figures))


@pytest.mark.parametrize(
    ("every", "expected"), [(1, [1, 2, 3, 4]), (2, [2, 4]), (3, [3]), (None, [])]
)
def test_the_state_is_saved_every_few_epochs_and_at_the_end(every, expected, tmp_path):
    path = tmp_path / "run.checkpoint"
    watcher = Epochs(path)
    model = MIPLMA(width=4, training=Training(epochs=5)).set_callbacks(watcher)
    model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=Checkpoint(path, every))
    assert watcher.changed == expected
    assert path.exists() == (every is not None)
    before = path.read_bytes() if path.exists() else b""
    assert before != watcher.content or every is None or 5 % every == 0


@pytest.mark.parametrize("name", ["ours", "early stopping"])
def test_a_finished_run_is_not_trained_again(name, tmp_path):
    kind, path = stopped_at(), tmp_path / "run.checkpoint"
    first = kind(**settings(name)).fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
    steps, saved = kind.steps, path.read_bytes()
    second = kind(**settings(name)).fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
    assert bits(second) == bits(first)
    assert kind.steps == steps and path.read_bytes() == saved


def test_callbacks_hear_of_the_epochs_that_are_left(tmp_path):
    kind, path = stopped_at(2 * STEPS + 2), tmp_path / "run.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        kind(**settings("ours")).fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
    watcher = Watcher()
    model = kind(**settings("ours")).set_callbacks(watcher)
    model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
    assert watcher.figures == model.history_[2:]


# -- Ctrl-C --------------------------------------------------------------------------


def test_after_ctrl_c_the_model_is_that_of_the_last_finished_epoch(tmp_path):
    model = stopped_at(2 * STEPS + 1)(**settings("ours"))
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=tmp_path / "run.checkpoint")
    assert signal.getsignal(signal.SIGINT) is before
    good = MIPLMA(**settings("ours")).set_callbacks(Watcher(stop_after=2))
    assert bits(model) == bits(good.fit(PROBLEM.bags, PROBLEM.y))


def test_without_a_checkpoint_ctrl_c_is_obeyed_at_once():
    kind = stopped_at(5)

    class Late(kind):
        def _loss(self, out, batch, w, clock):
            assert self.steps < 5, "the step went on after Ctrl-C"
            return super()._loss(out, batch, w, clock)

    model = Late(**settings("ours"))
    with pytest.raises(KeyboardInterrupt):
        model.fit(PROBLEM.bags, PROBLEM.y)
    assert model.n_iter_ == 1


def test_a_run_that_diverges_after_a_pause_keeps_what_it_would_have_kept(tmp_path):
    class Bad(stopped_at(STEPS + 1)):
        def _loss(self, out, batch, w, clock):
            terms = super()._loss(out, batch, w, clock)
            late = clock.epoch == 2 and self.steps == STEPS + 2
            return {"margin": terms["margin"] * (torch.inf if late else 1)}

    path = tmp_path / "run.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        Bad(**settings("ours")).fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
    saved = path.read_bytes()
    paused, unbroken = Bad(**settings("ours")), Bad(**settings("ours"))
    with pytest.raises(MiplError, match="epoch 2, batch 1"):
        paused.fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
    assert path.read_bytes() == saved, "the last good state stays in the file"
    Bad.steps, Bad.stops = 0, frozenset()
    with pytest.raises(MiplError, match="epoch 2, batch 1"):
        unbroken.fit(PROBLEM.bags, PROBLEM.y)
    assert bits(paused) == bits(unbroken) and paused.n_iter_ == 1


def test_the_data_are_hashed_only_where_there_is_something_to_save(
    tmp_path, monkeypatch
):
    def refused(bags):
        raise AssertionError("all data were read")

    monkeypatch.setattr(Bags, "digest", refused)
    model = MIPLMA(**settings("ours"))
    model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=Checkpoint(tmp_path / "a", None))
    with pytest.raises(AssertionError, match="all data were read"):
        model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=Checkpoint(tmp_path / "a", 1))
