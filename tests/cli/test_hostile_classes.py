"""Verbs over models whose classes have names that steer what shows them."""

import numpy as np
from tests.attacks.names import steers

import mipl
from mipl import Bags, Dataset


def test_predict_and_evaluate_take_hostile_class_names(run, tmp_path):
    names = [r"$\frac{$", "[/bold]", "\x1b]0;t\x07", "\u202eoak"]
    rng = np.random.default_rng(0)
    bags = Bags(rng.random((24, 3)), np.arange(0, 25, 2))
    labels = [names[i % 4] for i in range(12)]
    data = Dataset(bags, [{n, names[0]} for n in labels], labels=labels)
    mipl.write_dataset(data, tmp_path / "t.bags.h5")
    model = mipl.MIPLMA(training=mipl.Training(epochs=1), random_state=0)
    model.fit(data.bags, data.candidates).save(tmp_path / "model")
    for verb in ("predict", "evaluate"):
        for more in ((), ("--json",)):
            ran = run(verb, tmp_path / "model", tmp_path / "t.bags.h5", *more)
            assert ran.code == 0, ran.err
            assert not steers(ran.out) and not steers(ran.err)
    ran = run(
        "explain",
        tmp_path / "model",
        tmp_path / "t.bags.h5",
        "--bag",
        "0",
        "--plot",
        tmp_path / "a.png",
    )
    assert ran.code == 0, ran.err
