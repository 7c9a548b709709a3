"""Each fault is planted in otherwise good data, and found with its count and names."""

import pickle

import numpy as np
import pytest

from mipl.data import Bags, Candidates, Dataset
from mipl.data.findings import Finding, findings_of_error
from mipl.data.validate import validate
from mipl.errors import BadFile, MiplError


def good(**changes: object) -> Dataset:
    """Return 40 sound bags of 3 classes, with instance labels and groups."""
    rng = np.random.default_rng(0)
    labels = np.arange(40) % 3
    sets = [{int(c), int((c + 1 + i // 3 % 2) % 3)} for i, c in enumerate(labels)]
    bags = Bags(
        [rng.normal(size=(5, 4)) for _ in labels],
        bag_ids=[f"b{i}" for i in range(40)],
        instance_labels=np.repeat(labels, 5),
    )
    fields = {"bags": bags, "candidates": Candidates(sets), "labels": labels}
    return Dataset(**(fields | changes))


def codes(found: list[Finding]) -> list[str]:
    return [one.code for one in found]


def only(data: Dataset, code: str) -> Finding:
    [found] = [one for one in validate(data) if one.code == code]
    return found


def test_nothing_is_found_in_sound_data() -> None:
    assert validate(good()) == []


def test_true_label_outside_its_set() -> None:
    data = good()
    labels = data.labels.copy()
    for i in (4, 9):  # The label that is not in the set of two.
        labels[i] = ({0, 1, 2} - set(list(data.candidates)[i])).pop()
    found = only(good(labels=labels), "outside-set")
    assert (found.severity, found.count) == ("error", 2)
    assert found.examples == ("bag 4 ('b4')", "bag 9 ('b9')")
    assert "2 of 40 bags" in found.sentence


def test_constant_features() -> None:
    rows = np.array(good().bags.instances)
    rows[:, [1, 3]] = 2.5
    found = only(good(bags=good().bags.with_instances(rows)), "constant-features")
    assert found.examples == ("feature 1", "feature 3")


def test_copies_are_found_in_any_order_of_the_instances() -> None:
    rows = np.array(good().bags.instances)
    rows[30 * 5 : 31 * 5] = rows[7 * 5 : 8 * 5][::-1]
    data = good(bags=good().bags.with_instances(rows))
    found = only(data, "duplicate-bags")
    assert found.examples == ("bag 30 ('b30') = bag 7 ('b7')",)
    assert "duplicates-across-splits" not in codes(validate(data))


def test_bags_that_share_some_instances_are_no_copies() -> None:
    rows = np.array(good().bags.instances)
    rows[30 * 5 : 30 * 5 + 4] = rows[7 * 5 : 7 * 5 + 4]
    assert validate(good(bags=good().bags.with_instances(rows))) == []


def test_minus_zero_is_zero() -> None:
    data = Dataset(np.array([[[0.0, 1.0]], [[-0.0, 1.0]], [[2.0, 3.0]]]), [{0}] * 3)
    assert only(data, "duplicate-bags").count == 1


def test_copies_across_stored_splits_are_errors() -> None:
    rows = np.array(good().bags.instances)
    rows[30 * 5 : 31 * 5] = rows[7 * 5 : 8 * 5]
    bags = good().bags.with_instances(rows)
    apart = [(range(20), range(20, 40)), ([7, 30], range(7))]
    found = only(good(bags=bags, splits={"mine": apart}), "duplicates-across-splits")
    assert (found.severity, found.count) == ("error", 1)
    assert found.examples == ("bag 30 ('b30') in split 'mine', fold 0",)
    together = good(bags=bags, splits={"mine": apart[1:]})
    assert "duplicates-across-splits" not in codes(validate(together))


def test_groups_on_both_sides_of_a_stored_split() -> None:
    groups = np.array(["p1", "p2"])[np.arange(40) // 20]
    torn = good(groups=groups, splits={"mine": [(range(10), range(10, 40))]})
    found = only(torn, "group-leakage")
    assert (found.count, found.severity) == (1, "error")
    assert found.examples == ("group 'p1' in split 'mine', fold 0",)
    whole = good(groups=groups, splits={"mine": [(range(20), range(20, 40))]})
    assert validate(whole) == []


def test_full_sets() -> None:
    sets = [set(labels) for labels in good().candidates]
    sets[5] = sets[6] = {0, 1, 2}
    found = only(good(candidates=Candidates(sets)), "full-sets")
    assert found.examples == ("bag 5 ('b5')", "bag 6 ('b6')")


def test_labels_that_never_occur() -> None:
    data = good()
    wide = Candidates(list(data.candidates), classes=[0, 1, 2, 3, 4])
    found = {f.code: f.examples for f in validate(good(candidates=wide))}
    assert found == {"never-candidate": ("3", "4"), "never-true": ("3", "4")}


def test_labels_that_always_come_together() -> None:
    sets = [{0, 1} if i % 2 else {2} for i in range(40)]
    data = good(candidates=Candidates(sets), labels=None)
    assert only(data, "inseparable-labels").examples == ("0 + 1",)
    sets[0] = {0, 2}
    apart = good(candidates=Candidates(sets), labels=None)
    assert "inseparable-labels" not in codes(validate(apart))


def test_instance_labels_of_several_classes() -> None:
    kinds = np.repeat(np.arange(40) % 3, 5)
    kinds[8 * 5] = (kinds[8 * 5] + 1) % 3
    kinds[9 * 5] = 99  # Not a class: background.
    bags = Bags(good().bags, instance_labels=kinds)
    found = only(good(bags=bags), "several-classes")
    assert (found.severity, found.count) == ("warning", 1)
    assert found.examples == ("bag 8 ('b8')",)


def separated(mixed: int, r: int, seed: int) -> Dataset:
    """Return bags of 4 positives and 6 background rows; some bags are joined pairs."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(240) % 6)
    keys = rng.random((240, 6))
    keys[np.arange(240), labels] = -1
    matrix = keys.argsort(axis=1).argsort(axis=1) <= r
    centres = 8 * np.eye(8)
    rows = []
    for i, c in enumerate(labels):
        other = np.flatnonzero(matrix[i])
        kinds = [c] * 4 + [7] * 6
        if i < mixed:
            kinds[4:8] = [int(other[other != c][0])] * 4
        rows.append(rng.normal(centres[kinds]))
    return Dataset(Bags(rows), matrix)


def test_mixed_bags_are_guessed_from_neighbours() -> None:
    found = only(separated(12, r=1, seed=1), "several-classes")
    assert found.severity == "note"
    assert 10 <= found.count <= 12
    assert {name.split()[1] for name in found.examples} <= set(map(str, range(12)))


@pytest.mark.parametrize("r", [1, 3, 5])
def test_pure_bags_do_not_look_mixed(r: int) -> None:
    assert "several-classes" not in codes(validate(separated(0, r, seed=2)))


def test_labels_at_random_do_not_look_mixed() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.random((300, 6)) < 0.4
    matrix[:, 0] |= ~matrix.any(axis=1)
    data = Dataset(rng.normal(size=(300, 12, 5)), matrix)
    assert "several-classes" not in codes(validate(data))


def test_rows_on_disk_are_checked_and_all_faults_counted(rows_on_disk) -> None:
    data = good()
    rows = np.array(data.bags.instances)
    rows[3 * 5, 1], rows[3 * 5 + 1, 2], rows[20 * 5, 0] = np.nan, np.inf, -np.inf
    bags = Bags(rows_on_disk(rows), data.bags.offsets, bag_ids=data.bags.bag_ids)
    found = only(Dataset(bags, data.candidates), "non-finite")
    assert (found.severity, found.count) == ("error", 2)
    assert found.examples == ("bag 3 ('b3')", "bag 20 ('b20')")
    assert found.sentence.startswith("3 values")


def test_disk_and_memory_agree_in_small_blocks(monkeypatch, rows_on_disk) -> None:
    monkeypatch.setattr("mipl.data.scan._BLOCK", 7)
    rows = np.array(good().bags.instances)
    rows[:, 2] = 1
    rows[30 * 5 : 31 * 5] = rows[7 * 5 : 8 * 5]
    bags = good().bags.with_instances(rows)
    stored = Bags(rows_on_disk(rows), bags.offsets, bag_ids=bags.bag_ids)
    plain = Bags(rows, bags.offsets, bag_ids=bags.bag_ids)
    assert validate(good(bags=stored)) == validate(good(bags=plain)) != []


def test_errors_come_first() -> None:
    labels = good().labels.copy()
    labels[0] = ({0, 1, 2} - set(next(iter(good().candidates)))).pop()
    rows = np.array(good().bags.instances)
    rows[:, 0] = 0
    data = good(labels=labels, bags=good().bags.with_instances(rows))
    severities = [one.severity for one in validate(data)]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    assert severities[0] == "error"


@pytest.mark.parametrize(
    ("build", "code", "count", "first"),
    [
        (
            lambda: Bags([[[1.0]], np.empty((0, 1)), np.empty((0, 1))]),
            "empty-bags",
            2,
            1,
        ),
        (lambda: Bags(np.ones((2, 1)), [0, 1, 1, 1, 2]), "empty-bags", 2, 1),
        (lambda: Bags(np.empty((3, 0, 2))), "empty-bags", 3, 0),
        (lambda: Bags([[[0.0]], [[np.nan]], [[np.inf]]]), "non-finite", 2, 1),
        (lambda: Candidates([[0], [], [1], []]), "empty-sets", 2, 1),
        (lambda: Candidates(np.array([[1, 0], [0, 0]])), "empty-sets", 1, 1),
    ],
)
def test_what_containers_refuse_is_counted(build, code, count, first) -> None:
    with pytest.raises(MiplError) as caught:
        build()
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        [found] = findings_of_error(error)
        assert (found.code, found.count, found.severity) == (code, count, "error")
        assert found.examples[0] == f"bag {first}"
        assert found.sentence == str(caught.value)


def test_a_reader_may_wrap_the_error() -> None:
    try:
        try:
            Bags([[[np.nan]]])
        except MiplError as inner:
            raise BadFile(f"a.csv: {inner}") from inner
    except BadFile as error:
        [found] = findings_of_error(error)
    assert found.code == "non-finite" and found.sentence.startswith("a.csv: ")


def test_any_other_error_is_unreadable() -> None:
    [found] = findings_of_error(BadFile("a.mat is damaged."))
    assert (found.code, found.sentence) == ("unreadable", "a.mat is damaged.")
    assert found.remedy


def test_an_id_twice_is_a_finding() -> None:
    data = good()
    ids = ["b1" if i in (4, 7) else f"b{i}" for i in range(40)]
    [found] = validate(good(bags=Bags(data.bags, bag_ids=ids)))
    assert (found.code, found.severity, found.count) == ("duplicate-ids", "error", 2)
    assert found.examples[0] == "bag 4 ('b1') = bag 1 ('b1')"


def test_names_that_divide_or_doubt_are_findings() -> None:
    sets = [{"a|b", "c"}, {"c", "Unsure"}, {"Unsure"}, {"a|b"}] * 10
    found = {one.code: one for one in validate(good(candidates=sets, labels=None))}
    assert found["divided-names"].examples == ("a|b",)
    assert found["unsure-labels"].examples == ("Unsure",)
