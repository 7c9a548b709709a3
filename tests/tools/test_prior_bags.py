"""The study of how many bags MIPLGP's prior needs."""

import numpy as np
from tests.tools.committed import committed
from tests.tools.test_mipl_methods_page import table, text
from tools.prior_bags import FEW, SIZES, every, few, figures

from mipl import MIPLGP, Training, load_dataset


def test_each_number_of_bags_is_a_run_on_both_sets():
    asked = [(run.data, run.arguments["exact_up_to"]) for run in every()]
    assert len(set(asked)) == 10
    assert ("birdsong-mipl", 185) in asked and ("sival-mipl", 2560) in asked


def test_figures_are_of_the_prior_and_of_the_training_candidates():
    train, test = load_dataset("synthetic", r=1, n_bags=40).split(0)
    model = MIPLGP(exact_up_to=30, inducing=5, training=Training(epochs=2, lr=0.1))
    model.fit(train.bags, train.candidates)
    found = figures(model, train, test)
    assert found["length"] == float(model.gp_.length.detach())
    p = model.predict_proba(train.bags)
    inside, top = train.candidates.matrix, p.argmax(axis=1)
    shares = p / (p * inside).sum(axis=1, keepdims=True)
    hits = inside[np.arange(len(p)), top]
    expected = np.where(hits, shares[np.arange(len(p)), top], 0).mean()
    assert np.isclose(found["train_approximated_accuracy"], expected)


def test_the_table_of_the_prior_is_that_of_the_committed_rows():
    """Length of the kernel, approximated accuracy of training bags, test accuracy."""
    known = {
        (run.data, run.arguments["exact_up_to"]): one
        for run, one in committed().items()
        if run in few()
    }
    assert len(known) == len(few())
    rows = {int(row[0]): row[1:] for row in table("bags of the prior")}
    assert tuple(rows) == FEW
    for n, cells in rows.items():
        told = []
        for data, size in SIZES.items():
            one = known[data, n * size]
            told += [
                f"{one.figures['length']:.3f}",
                text(one.figures["train_approximated_accuracy"]),
                text(one.accuracy),
            ]
        assert cells == told, n
