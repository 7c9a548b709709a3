"""HFC-MIPL: arguments, its terms recomputed, the graph's epochs, what it learns."""

import math

import numpy as np
import pytest
import torch
from tests.methods.mipl.images import learns_images
from tests.methods.mipl.watched import fit_watched

from mipl import DEMIPL, HFCMIPL, MiplError, Training, load_dataset
from mipl.testing.checks.problem import make_problem

SMALL_SETTINGS = {"neighbours": 3}
PROBLEM = make_problem(n_bags=12)


def fitted(epochs=4, **arguments):
    """Fit all bags in one step, without dropout, in float64; note what is seen."""
    training = Training(epochs=epochs, batch_size=None, dtype="float64", order="same")
    given = {"width": 6, "dropout": 0.0, "neighbours": 3} | arguments
    return fit_watched(HFCMIPL(training=training, **given), PROBLEM)


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ({"nu": -1}, "nu of HFCMIPL must be a number >= 0; got -1."),
        ({"steps": 0}, "steps of HFCMIPL must be an integer >= 1; got 0."),
        (
            {"instance_loss_on": "all"},
            "instance_loss_on of HFCMIPL must be one of 'filtered', 'kept'; got 'all'.",
        ),
        (
            {"focus": "none"},
            "focus of HFCMIPL must be one of 'published', 'entropy'; got 'none'.",
        ),
        (
            {"targets": "soft"},
            "targets of HFCMIPL must be one of 'published', 'candidate_normalised'; "
            "got 'soft'.",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(argument, sentence):
    with pytest.raises(MiplError) as refused:
        HFCMIPL(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


def softmax(values):
    return np.exp(values) / np.exp(values).sum()


def entropy(u):
    return -sum(value * math.log(value + 1e-8) for value in u)


@pytest.mark.parametrize("instance_loss_on", ["filtered", "kept"])
@pytest.mark.parametrize("focus", ["published", "entropy"])
def test_the_terms_recomputed(instance_loss_on, focus):
    """Bag by bag and instance by instance, from what the network says."""
    choices = {"instance_loss_on": instance_loss_on, "focus": focus}
    model, seen = fitted(lam=0.3, nu=0.7, kappa=0.5, mu=0.2, **choices)
    for entry, (out, (batch, w, clock)) in zip(model.history_, seen, strict=True):
        targets = clock.own["targets"].numpy()  # In the end they are the same.
        sums = dict.fromkeys(("attention", "graph", "instances", "focus"), 0.0)
        bag, judged = batch.segments.bag.tolist(), out.instance_log_p.tolist()
        attention = torch.sigmoid(out.scores).tolist()
        for i, p in enumerate(out.p.detach().numpy()):
            inside = batch.candidates[i].numpy()
            own = [j for j, number in enumerate(bag) if number == i]
            a = [attention[j] for j in own]
            r = np.where(inside, p, 0) / p[inside].sum()
            label, least, y = int(w[i].argmax()), 0.2, targets[batch.bags[i]]
            least = min(least, max(a))
            kept = [value >= least for value in a]
            sums["attention"] -= 0.3 * sum(v * math.log(v) for v in a)
            sums["graph"] += 0.7 * np.mean((r - y) ** 2)
            for j, value, passes in zip(own, a, kept, strict=True):
                if passes == (instance_loss_on == "kept"):
                    sums["instances"] -= 0.5 * value * judged[j][label] / len(own)
            focusing = entropy([value**1.5 for value in a])
            if focus == "published":
                sums["focus"] += 0.2 * (2 * softmax(p)[inside].sum() - focusing)
            else:
                of_labels = -sum(v * math.log(v + 1e-10) for v in r[inside])
                sums["focus"] += 0.2 * (focusing + 2 * of_labels)
        if clock.epoch == 1:
            sums["graph"] = 0.0
        if clock.epoch <= 2:
            sums["instances"] = sums["focus"] = 0.0
        for name, total in sums.items():
            assert math.isclose(entry[name], total / 12, abs_tol=1e-12), name


def test_without_its_terms_it_is_demipls_program():
    training = Training(epochs=4, batch_size=3, order="same", dtype="float64")
    given = {"width": 6, "training": training, "random_state": 3}
    ours = HFCMIPL(nu=0.0, kappa=0.0, mu=0.0, lam=0.02, **given)
    theirs = DEMIPL.released(lam=0.02, **given)
    ours, theirs = (m.fit(PROBLEM.bags, PROBLEM.y) for m in (ours, theirs))
    for one, other in zip(ours.history_, theirs.history_, strict=True):
        assert one["disambiguation"] == pytest.approx(other["disambiguation"])
        assert one["attention"] == pytest.approx(other["attention"])
    np.testing.assert_allclose(
        ours.predict_proba(PROBLEM.bags), theirs.predict_proba(PROBLEM.bags)
    )


@pytest.mark.parametrize("targets", ["published", "candidate_normalised"])
def test_targets_are_built_after_epochs_1_31_and_61(targets):
    model = HFCMIPL(
        width=4,
        neighbours=3,
        smooth=0.1,
        targets=targets,
        training=Training(epochs=62, batch_size=4),
    )
    built = {}
    end = model._end_epoch

    def note(state, clock):
        before = state.own["targets"].clone()
        end(state, clock)
        if not torch.equal(before, state.own["targets"]):
            built[clock.epoch] = state.own["targets"].clone()

    model._end_epoch = note
    model.fit(PROBLEM.bags, PROBLEM.y)
    assert list(built) == [1, 31, 61]
    for found in built.values():
        torch.testing.assert_close(found.sum(dim=1), torch.ones(12))
        outside = found[~torch.tensor(PROBLEM.candidates)]
        if targets == "published":
            assert (outside > 0.1).all()  # Nearly even: .405 and less of a class.
            assert float(found.max()) < 0.6
        else:
            assert (outside == 0).all()


def test_the_filter_grows_stricter_and_the_history_tells_it():
    model, _ = fitted(epochs=21)
    told = [entry["tau"] for entry in model.history_]
    np.testing.assert_allclose(told, [0.2] * 9 + [0.22] * 10 + [0.24] * 2)


def test_the_map_of_fused_features_is_never_trained():
    first, _ = fitted(epochs=1)
    later, _ = fitted(epochs=6)
    for name in ("weight", "bias"):
        one, other = (getattr(m.module_.bag_map, name) for m in (first, later))
        assert torch.equal(one, other)


def test_images():
    learns_images(HFCMIPL(width=4))


def test_it_learns_from_candidates():
    train, test = load_dataset("synthetic", r=1).split(0)
    model = HFCMIPL(training=Training(epochs=10, lr=0.05, batch_size=4))
    model.fit(train.bags, train.candidates)
    assert model.score(test.bags, test.labels) > 3 / len(train.classes)
