"""Same seed, same bits: whatever the order, the threads, or where the rows lie."""

import numpy as np
import pytest
from tests.training.test_batches import OnDisk

from mipl import MIPLMA, Bags, Training
from mipl.seeds import stream
from mipl.testing.checks.problem import make_problem
from mipl.training import loop

PROBLEM = make_problem(n_bags=12)
READINGS = {"ours": MIPLMA, "paper": MIPLMA.paper, "released": MIPLMA.released}


def fitted(build=MIPLMA, bags=PROBLEM.bags, random_state=0, **training):
    settings = {"epochs": 3, "batch_size": 5} | training
    model = build(width=8, random_state=random_state, training=Training(**settings))
    return model.fit(bags, PROBLEM.y)


def bits(model):
    """Return all that a model has learnt, as bytes."""
    values = [v.numpy() for v in model.module_.state_dict().values()]
    parts = [*values, model.label_weights_, model.predict_proba(PROBLEM.bags)]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_same_seed_gives_the_same_bits(reading, dtype):
    build = READINGS[reading]
    first, second = (bits(fitted(build, dtype=dtype)) for _ in range(2))
    assert first == second
    assert bits(fitted(build, dtype=dtype, random_state=1)) != first


def test_bags_are_visited_in_new_orders_or_in_the_same(monkeypatch):
    visited = {"new": [], "same": []}
    take_step = loop.take_step
    for order, seen in visited.items():

        def note(fit, batch, clock, seen=seen):
            seen.extend(batch.bags.tolist())
            take_step(fit, batch, clock)

        monkeypatch.setattr(loop, "take_step", note)
        fitted(order=order)
    first, second, third = np.reshape(visited["new"], (3, 12))
    assert (first != second).any() and (second != third).any()
    assert sorted(first) == sorted(second) == list(range(12))
    np.testing.assert_array_equal(visited["same"], np.tile(first, 3))


@pytest.mark.parametrize("reading", READINGS)
def test_two_threads_repeat_their_bits_and_agree_with_one(reading):
    one, two, again = (
        fitted(READINGS[reading], threads=threads) for threads in (1, 2, 2)
    )
    assert bits(two) == bits(again)
    # A matrix product may add up in another order when it is shared out.
    p = one.predict_proba(PROBLEM.bags)
    np.testing.assert_allclose(two.predict_proba(PROBLEM.bags), p, atol=1e-5)


def test_images_repeat_with_two_threads():
    rng = np.random.default_rng(0)
    bags = Bags(rng.random((12, 1, 28, 28)), np.arange(0, 13, 3))
    training = Training(epochs=1, batch_size=2, threads=2)
    models = [
        MIPLMA(width=4, training=training).fit(bags, [{0, 1}, {1}, {0}, {0, 1}])
        for _ in range(2)
    ]
    first, second = (model.predict_proba(bags).tobytes() for model in models)
    assert first == second


def test_bags_on_disk_give_the_same_bits():
    bags = Bags(PROBLEM.bags)
    there = Bags(OnDisk(bags.instances), bags.offsets)
    assert there.on_disk
    assert bits(fitted(bags=there)) == bits(fitted(bags=bags))


def test_the_order_is_a_function_of_seed_and_epoch(monkeypatch):
    orders = {}
    take_step = loop.take_step

    def watched(fit, batch, clock):
        orders.setdefault(clock.epoch, []).extend(batch.bags.tolist())
        take_step(fit, batch, clock)

    monkeypatch.setattr(loop, "take_step", watched)
    fitted(random_state=4, epochs=3)
    for epoch in (1, 2, 3):
        expected = stream(4, "order", epoch).permutation(12).tolist()
        assert orders[epoch] == expected
    assert orders[1] != orders[2]
    first = dict(orders)
    orders.clear()
    fitted(random_state=4, epochs=3, lr=0.3, batch_size=1)
    assert orders == first


def test_no_seed_is_seed_zero_and_a_generator_is_drawn_from():
    assert bits(fitted(random_state=None)) == bits(fitted(random_state=0))
    draws = np.random.RandomState(3)
    first, second = (bits(fitted(random_state=draws)) for _ in range(2))
    assert first != second


@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_batches_by_instances_train(limit):
    model = fitted(batch_size=None, batch_instances=limit)
    assert np.isfinite(model.predict_proba(PROBLEM.bags)).all()
    alone = bits(fitted(batch_size=1))
    whole = bits(fitted(batch_size=None))
    assert (bits(model) == alone) == (limit == 1)
    assert (bits(model) == whole) == (limit == 1000)
