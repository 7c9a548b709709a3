"""The figures of docs/miplma_results.md and docs/images.md are those of the rows."""

from pathlib import Path
from statistics import fmean, pstdev, stdev

import pytest
from tests.tools.committed import committed
from tools.steadiness import FALL

from mipl.runs.run import Run

DOCS = Path(__file__).parents[2] / "docs"
SMALL = {"training__batch_size": 16}
BEFORE = {"balance": False, "score_head": "mlp", "unit_start": False, **SMALL}
COLUMNS = (
    ("miplma", {}),
    ("miplma", SMALL),
    ("miplma", {"score_head": "mlp", **SMALL}),
    ("miplma", BEFORE),
    ("miplma-released", {"published": True}),
)


def table(page, head):
    """Return the rows of the table of a page whose first head is this."""
    lines = (DOCS / page).read_text().splitlines()
    [first] = [i for i, line in enumerate(lines) if line.startswith(f"| {head} |")]
    rows = []
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def found(method, arguments, data, r, **options):
    """Return the results of a cell, by split."""
    return {
        run.split: one
        for run, one in committed().items()
        if (run.method, run.data, run.r) == (method, data, r)
        and run.arguments == arguments
        and run.options == options
    }


def text(number):
    return f"{number:.3f}".replace("0.", ".", 1)


def told(values, sign=" ± "):
    spread = f"{sign}{text(pstdev(values))}" if len(values) > 1 else ""
    return f"{text(fmean(values))}{spread} ({len(values)})" if values else ""


def test_what_miplma_scores():
    body = table("miplma_results.md", "data | r | ours (defaults)")
    assert len(body) == 12
    for data, r, *cells, _ in body:
        for cell, (method, arguments) in zip(cells, COLUMNS, strict=True):
            results = found(method, arguments, data.lower(), int(r))
            values = [one.accuracy for _, one in sorted(results.items())]
            assert cell == told(values), (data, r, method, arguments)


def test_what_is_told_beyond_accuracy():
    body = table("miplma_results.md", "data, r (splits)")
    assert len(body) == 17
    for where, method, accuracies, ece, aurocs, labels, candidates in body:
        data, rest = where.split(", ")
        r, splits = rest.rstrip(")").split(" (")
        published = {} if method == "miplma" or "digits" in data else COLUMNS[-1][1]
        results = [
            one
            for one in found(method, published, data, int(r)).values()
            if "train_accuracy" in one.figures
        ]
        assert len(results) == int(splits)

        def mean(name, results=results):
            values = [one.figures[name] for one in results if name in one.figures]
            return fmean(values) if values else None

        accuracy = fmean(one.accuracy for one in results)
        same(accuracies, "/", mean("train_accuracy"), accuracy)
        same(ece, ",", mean("half_ece"), mean("half_ece_labels"))
        same(aurocs, "/", mean("score_auroc"), mean("attention_auroc"))
        for cell, way in ((labels, "labels"), (candidates, "candidates")):
            told_ = (mean(f"half_coverage_{way}"), mean(f"half_set_size_{way}"))
            same(cell.rstrip(")"), "(", *told_)


def same(cell, between, *numbers):
    """Hold a cell of two numbers up to what they must be, as rounded there."""
    parts = [part.strip() for part in cell.split(between)]
    for part, number in zip(parts, numbers, strict=True):
        if part == "–":
            assert number is None
        else:
            digits = len(part.partition(".")[2])
            assert float(part) == pytest.approx(number, abs=0.51 * 10**-digits)


def test_the_stand_in_for_tissue():
    methods = {"MIPLMA": {}, "ELIMIPL": COLUMNS[-1][1], "DEMIPL": COLUMNS[-1][1]}
    body = table("images.md", "generator | MIPLMA (ours)")
    assert len(body) == 6
    for name, *cells, _ in body:
        generator, _, patches = name.partition(", ")
        options = {"generator": generator.strip("`")}
        if patches:
            options["patches"] = int(patches.split()[0])
        for cell, (method, arguments) in zip(cells, methods.items(), strict=True):
            results = found(method.lower(), arguments, "crc-mipl", 1, **options)
            values = [results[split].accuracy for split in range(5)]
            assert cell == told(values, "±").removesuffix(" (5)")


DEFAULTS, THOROUGH = ("miplma", {}), ("miplma-thorough", {})
LONG = {"training__epochs": 400, "training__instances_per_bag": 0.65}
THREE = ("miplma-ensemble", {"n": 3, **LONG})


@pytest.mark.parametrize(
    ("head", "ways", "least"),
    [
        ("data | r | defaults | thorough | gain", (DEFAULTS, THOROUGH), 6),
        ("data | r | thorough | three as one | gain", (THOROUGH, THREE), 6),
    ],
)
def test_a_longer_training_beside_a_shorter_one(head, ways, least):
    """On the splits that both have; the gain is paired, with its standard error."""
    body = table("miplma_results.md", head)
    assert len(body) >= least
    for row in body:
        data, r, shorter, longer, gain = row
        before, after = (found(*way, data.lower(), int(r)) for way in ways)
        shared = sorted(before.keys() & after.keys())
        both = [[one[split].accuracy for split in shared] for one in (before, after)]
        assert [shorter, longer] == [told(values) for values in both], row
        differences = [new - old for old, new in zip(*both, strict=True)]
        numbers = [float(part) for part in gain.split(" ± ")]
        expected = [fmean(differences)]
        if len(shared) > 1:
            expected.append(stdev(differences) / len(shared) ** 0.5)
        assert numbers == pytest.approx(expected, abs=0.00051)


def test_the_steadiness_of_synthetic_bags():
    body = table("miplma_results.md", "bags | overlap | accuracy, ten seeds")
    assert len(body) == 8
    for bags, overlap, accuracy, worst, fell in body:
        few = {"bag_size": (35, 47), "positives": 0.08} if "35" in bags else {}
        options = {"overlap": float(overlap), "n_bags": 450, **few, "seed": 1}
        values = [
            one.accuracy
            for run, one in committed().items()
            if run.data == "synthetic"
            and run.options == Run("", "synthetic", options=options).options
            and run.r == 3
            and run.method == "miplma"
        ]
        assert len(values) == 10
        assert (accuracy, worst) == (
            told(values).removesuffix(" (10)"),
            text(min(values)),
        )
        assert int(fell) == sum(value < max(values) - FALL for value in values)


def test_another_draw_and_an_ensemble_of_short_trainings():
    ways = {
        "defaults": DEFAULTS,
        "thorough": THOROUGH,
        "`Ensemble(MIPLMA(), n=4)`": ("miplma-ensemble", {"n": 4}),
        "`Ensemble(MIPLMA.thorough(), n=3)`": THREE,
    }
    body = table("miplma_results.md", "draw 3")
    assert len(body) >= 13
    for data, r, way, accuracy, ece in body:
        results = found(*ways[way], data.lower(), int(r), seed=3)
        assert accuracy == told([one.accuracy for _, one in sorted(results.items())])
        mean = fmean(one.figures["ece"] for one in results.values())
        assert float(ece) == pytest.approx(mean, abs=0.00051)
