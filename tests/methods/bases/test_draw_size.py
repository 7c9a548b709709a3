"""``instances_per_bag="auto"``: a number by held-out candidates."""

import numpy as np
import pytest

from mipl import MIPLMA, Bags, Candidates, MiplError, Training, load_model
from mipl.methods.bases import draw_size as rule
from mipl.seeds import stream


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Numbers for bags of a size that tests can afford."""
    monkeypatch.setattr(rule, "NUMBERS", (2, 8, 32))


def problem(largest=40, m=20):
    rng = stream(0, "auto")
    sizes = rng.integers(10, largest + 1, m)
    sizes[0] = largest
    bags = []
    for i, n in enumerate(sizes):
        rows = rng.normal(size=(n, 4))
        rows[: max(1, n // 4), i % 2] += 3  # Few instances show the class.
        bags.append(rows)
    return Bags(bags), Candidates([{i % 2} for i in range(m)], classes=[0, 1])


def auto(**training):
    options = {"epochs": 4, "instances_per_bag": "auto", "batch_size": 4} | training
    return MIPLMA(training=Training(**options), random_state=3)


def test_the_smallest_within_one_standard_error_of_the_best_is_taken() -> None:
    bags, candidates = problem()
    order = stream(3, "instances per bag").permutation(20)
    held, train = np.sort(order[:4]), np.sort(order[4:])
    logs = {}
    for number in (2, 8, 32):
        model = auto(instances_per_bag=number).fit(bags[train], candidates[train])
        p = model.predict_proba(bags[held])
        logs[number] = [
            np.log(sum(p[i, c] for c in candidates[[b]].matrix[0].nonzero()[0]))
            for i, b in enumerate(held)
        ]
    means = {number: np.mean(values) for number, values in logs.items()}
    best = max(means, key=means.get)
    least = means[best] - np.std(logs[best]) / 2  # The root of 4 held-out bags.
    expected = min(number for number in logs if means[number] >= least)
    assert auto().fit(bags, candidates).instances_per_bag_ == expected


def test_the_number_is_used_to_the_bit_and_does_not_change() -> None:
    bags, candidates = problem()
    chosen = auto().fit(bags, candidates)
    again = auto().fit(bags, candidates)
    told = auto(instances_per_bag=chosen.instances_per_bag_).fit(bags, candidates)
    p = [model.predict_proba(bags) for model in (chosen, again, told)]
    assert (p[0] == p[1]).all() and (p[0] == p[2]).all()
    assert chosen.get_params()["training__instances_per_bag"] == "auto"


@pytest.mark.parametrize(
    ("largest", "m", "expected"), [(2, 8, None), (7, 8, 2), (40, 4, 32)]
)
def test_without_a_choice_nothing_is_tried(monkeypatch, largest, m, expected) -> None:
    monkeypatch.setattr(rule, "clone", None)
    rng = stream(0, "few")
    bags = Bags([rng.normal(size=(largest, 3)) for _ in range(m)])
    candidates = Candidates([{i % 2} for i in range(m)], classes=[0, 1])
    options = Training(instances_per_bag="auto")
    assert rule.draw_size(MIPLMA(), bags, candidates, options) == expected


def test_other_words_are_refused() -> None:
    bags, candidates = problem(m=6)
    says = r"an integer >= 1 or a share in \(0, 1\) or 'auto'; got 'all'"
    with pytest.raises(MiplError, match=says):
        auto(instances_per_bag="all").fit(bags, candidates)


def test_a_saved_model_is_loaded_again(tmp_path) -> None:
    bags, candidates = problem()
    model = auto(epochs=1).fit(bags, candidates)
    model.save(tmp_path / "m")
    assert (load_model(tmp_path / "m").predict(bags) == model.predict(bags)).all()
