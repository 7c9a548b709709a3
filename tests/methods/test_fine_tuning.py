"""A network of one's own, trained along on bags of pictures."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from mipl import ABMIL, MIPLMA, BagLearner, Bags, Training, load_model
from mipl.errors import MiplError

SIDE = 8
SHAPE = (3, SIDE, SIDE)


class TinyViT(nn.Module):
    """As models of Hugging Face: tokens in, an object with hidden states out."""

    def __init__(self, pooler=True):
        super().__init__()
        self.patches = nn.Conv2d(3, 6, 4, 4)
        self.block = nn.TransformerEncoderLayer(6, 2, 12, 0.0, batch_first=True)
        self.pooler = nn.Linear(6, 6) if pooler else None

    def forward(self, pixel_values):
        tokens = self.patches(pixel_values).flatten(2).transpose(1, 2)
        states = self.block(tokens)
        pooled = None if self.pooler is None else self.pooler(states[:, 0]).tanh()
        return SimpleNamespace(last_hidden_state=states, pooler_output=pooled)


def tiny(pooler=True):
    torch.manual_seed(0)
    return TinyViT(pooler)


def pictures():
    """Return bags of pictures, one of which has a quarter in the class's colour."""
    rng, bags, labels = np.random.default_rng(0), [], []
    for i in range(90):
        n, label = int(rng.integers(2, 6)), i % 3
        bag = rng.normal(scale=0.1, size=(n, *SHAPE)).astype(np.float32)
        row, column = 4 * rng.integers(2, size=2)
        bag[rng.integers(n), label, row : row + 4, column : column + 4] += 3.0
        bags.append(bag.reshape(n, -1))
        labels.append(label)
    sets = [sorted({one, (one + 1 + i % 2) % 3}) for i, one in enumerate(labels)]
    return Bags(bags, instance_shape=SHAPE), sets, np.array(labels)


BAGS, SETS, LABELS = pictures()


def learner(encoder, **training):
    options = {"epochs": 40, "lr": 0.02, "batch_size": 8, **training}
    return MIPLMA(encoder=encoder, training=Training(**options), random_state=0)


@pytest.mark.parametrize("pooler", [True, False])
def test_a_network_is_trained_along_and_learns_the_class(pooler):
    model = learner(tiny(pooler)).fit(BAGS, SETS)
    before, after = (
        dict(one.named_parameters())
        for one in (tiny(pooler), model.module_.encoder.module)
    )
    moved = [n for n in before if not torch.equal(before[n], after[n].detach())]
    assert "patches.weight" in moved
    # Labels in the sets alone would give a half.
    assert model.score(BAGS, LABELS) > 0.9


@pytest.mark.parametrize("batch_instances", [1, 3, 4])
def test_pieces_train_to_the_same_numbers(batch_instances):
    whole, pieces = (
        learner(tiny(), epochs=3, batch_size=1, dtype="float64", batch_instances=n)
        for n in (None, batch_instances)
    )
    for model in (whole, pieces):
        model.fit(BAGS, SETS)
    expected = whole.module_.state_dict()
    for name, values in pieces.module_.state_dict().items():
        torch.testing.assert_close(values, expected[name], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(
        pieces.predict_proba(BAGS), whole.predict_proba(BAGS), atol=1e-10
    )


class Watched(nn.Module):
    seen: list[int]

    def __init__(self):
        super().__init__()
        self.map = nn.Linear(3 * SIDE * SIDE, 4)

    def forward(self, x):
        type(self).seen.append(len(x))
        return self.map(x.flatten(1))


def test_no_call_sees_more_than_was_asked_for():
    Watched.seen = []
    model = learner(Watched(), epochs=1, batch_instances=2).fit(BAGS, SETS)
    model.predict_proba(BAGS), model.attend(BAGS), model.predict_instances(BAGS)
    assert max(Watched.seen) == 2
    # Embedded and computed again in training, and once more for each prediction.
    assert sum(Watched.seen) > 4 * BAGS.n_instances


def test_the_same_seed_gives_the_same_bits_in_pieces_with_dropout():
    def module():
        torch.manual_seed(0)
        return nn.Sequential(nn.Flatten(), nn.Linear(192, 6), nn.Dropout(0.3))

    one, other = (
        learner(module(), epochs=2, batch_instances=2).fit(BAGS, SETS) for _ in range(2)
    )
    for a, b in zip(one.module_.parameters(), other.module_.parameters(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("kind", [ABMIL, BagLearner])
def test_its_file_has_its_values_and_not_its_code(kind, tmp_path):
    model = kind(encoder=tiny(), training=Training(epochs=2, lr=0.01)).fit(BAGS, SETS)
    model.save(tmp_path / "model")
    assert not list(tmp_path.rglob("*.pkl"))
    with pytest.raises(MiplError, match=r"an encoder of your own, .*TinyViT; give a"):
        load_model(tmp_path / "model")
    with pytest.raises(MiplError, match="cannot be loaded"):
        load_model(tmp_path / "model", encoder=tiny(pooler=False))
    torch.manual_seed(5)
    again = load_model(tmp_path / "model", encoder=TinyViT())
    np.testing.assert_array_equal(again.predict_proba(BAGS), model.predict_proba(BAGS))
    # And goes on from there.
    for one in (model, again):
        one.set_params(warm_start=True).fit(BAGS, SETS)
    np.testing.assert_array_equal(again.predict_proba(BAGS), model.predict_proba(BAGS))


def test_frozen_layers_stay():
    module = tiny()
    module.patches.requires_grad_(False)
    frozen = module.patches.weight.detach().clone()
    model = learner(module, epochs=2, batch_instances=3).fit(BAGS, SETS)
    assert torch.equal(model.module_.encoder.module.patches.weight, frozen)
    moved = model.module_.encoder.module.pooler.weight
    assert not torch.equal(moved, tiny().pooler.weight)


def test_a_function_is_no_encoder_and_the_sentence_says_what_is():
    with pytest.raises(
        MiplError, match=r"encoder of MIPLMA must be .* torch.nn.Module"
    ):
        learner(lambda x: x).fit(BAGS, SETS)
