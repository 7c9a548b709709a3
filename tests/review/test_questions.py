"""The queue: its order, its reasons, and whom it does not ask."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mipl import MIPLMA, Candidates, Dataset, MiplError, Training
from mipl.data.bags import Bags
from mipl.review import Answer, Rule, Signals, apply_answers, review_queue
from mipl.review.questions import bags_to_review
from mipl.runs.trained_on import TrainedOn

ALONE = Rule({"unresolved": 1.0}, spread=False)


def test_the_queue_falls_by_the_score_recomputed(model, data):
    posterior = model.disambiguate(data.bags, data.candidates).posterior
    p = model.predict_proba(data.bags)
    sizes = data.candidates.sizes
    entropy = -(posterior * np.log(np.where(posterior > 0, posterior, 1))).sum(axis=1)
    expected = (
        entropy / np.log(sizes) + 3 * np.where(data.candidates.matrix, 0, p).sum(axis=1)
    ) / 4
    rule = Rule({"unresolved": 1.0, "disagreement": 3.0}, spread=False)
    queue = review_queue(model, data, rule=rule)
    scores = [one.score for one in queue]
    assert scores == sorted(scores, reverse=True)
    assert len(queue) == len(data)
    for one in queue:
        assert one.score == pytest.approx(expected[one.number])
        assert one.probability == pytest.approx(p[one.number].max())
        assert set(one.candidates) == list(data.candidates)[one.number]


def test_a_queue_that_is_spread_takes_classes_in_turn(model, data):
    queue = review_queue(model, data, rule=Rule({"unresolved": 1.0}, spread=True))
    seen, turns = {}, []
    for one in queue:
        turns.append(seen.get(one.likeliest, 0))
        seen[one.likeliest] = turns[-1] + 1
    assert turns == sorted(turns)
    for name in seen:
        mine = [one.score for one in queue if one.likeliest == name]
        assert mine == sorted(mine, reverse=True)


def test_answered_bags_and_those_not_among_are_not_asked(model, data):
    first = review_queue(model, data, 2, rule=ALONE)
    given = Answer(
        number=1, bag=first[0].bag, kind="set", classes=(first[0].likeliest,)
    )
    told = apply_answers(data, [given])
    again = review_queue(model, told, 2, rule=ALONE)
    assert first[0].bag not in {one.bag for one in again}
    assert again[0].bag == first[1].bag
    few = review_queue(model, data, among=[4, 9], rule=ALONE)
    assert {one.number for one in few} == {4, 9}


def test_bags_of_one_candidate_are_not_unresolved(model, data):
    sure = replace(data, candidates=Candidates(data.labels, data.classes))
    assert review_queue(model, sure, rule=ALONE) == []


def test_reasons_are_sentences_about_the_bag(model, data):
    [one] = review_queue(model, data, 1, rule=ALONE)
    reason = one.reasons[0]
    assert reason.code == "unresolved"
    assert str(one.likeliest) in reason.sentence
    assert f"{one.weight:.0%}" in reason.sentence
    assert json.loads(json.dumps(one.as_dict()))["bag"] == one.bag


def test_a_twin_with_another_set_is_named(model, data):
    rows = [next(iter(data.bags)), *data.bags]
    sets = [{0, 1}, {2, 3}, *list(data.candidates)[1:]]
    ids = [f"s{i}" for i in range(len(rows))]
    twins = Dataset(Bags(rows, bag_ids=ids), Candidates(sets, data.classes))
    rule = Rule({"contradiction": 1.0}, spread=False)
    queue = review_queue(model, twins, rule=rule)
    assert [one.bag for one in queue] == ["s0", "s1"]
    assert [one.score for one in queue] == [1.0, 1.0]
    told = {r.code: r.sentence for r in queue[0].reasons}
    expected = "bag s1 is nearly the same, and its candidates are 2, 3."
    assert told["contradiction"] == expected


def test_a_calibrated_model_tells_of_wide_sets(data):
    held = data[:20]
    model = MIPLMA(width=8, training=Training(epochs=2), random_state=0)
    model.fit(data.bags[20:], data.candidates[20:])
    model.calibrate(held.bags, labels=held.labels)
    signals = Signals.of(model, data)
    sizes = model.predict_set(data.bags).sum(axis=1)
    expected = (np.where(sizes == 0, 5, sizes) - 1) / 4
    assert signals.values["several classes"] == pytest.approx(expected)


def test_votes_against_the_model_are_told(model, data):
    votes = np.ones((60, 5))
    against = model.predict_proba(data.bags).argmin(axis=1)
    votes[np.arange(60), against] += 9
    voted = replace(data, candidates=Candidates(votes, data.classes))
    rule = Rule({"disagreement": 1.0}, spread=False)
    [one] = review_queue(model, voted, 1, rule=rule)
    told = {r.code: r.sentence for r in one.reasons}["disagreement"]
    assert f"most votes are for {data.classes[against[one.number]]}" in told


def test_only_the_training_bags_of_a_run_are_asked_about(data):
    trained = TrainedOn.of(data, fold=2)
    expected = data.fold(2).train.tolist()
    assert bags_to_review(data, trained).tolist() == expected
    assert len(bags_to_review(data, trained, everything=True)) == len(data)
    assert len(bags_to_review(data, None)) == len(data)


@pytest.mark.parametrize(
    "weights", [{"unresolve": 1.0}, {"unresolved": -1.0}, {"unresolved": 0.0}, {}]
)
def test_a_wrong_rule_is_refused(weights):
    with pytest.raises(MiplError):
        Rule(weights)
