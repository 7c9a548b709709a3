"""Every published number against the LaTeX source of the paper."""

from collections import defaultdict

import pytest
from tests.paper.published.latex_tables import paper, table

from mipl.datasets import RECORDS
from mipl.datasets.published_sets import SOURCES
from mipl.paper.published import accuracies, counts, highest, published

LABELS = {
    "table2": "tab:res_benchmark",
    "table3": "tab:res_crc",
    "table4": "tab:res_crc_resnet",
    "table5": "tab:res_maam",
    "table6": "tab:res_proden",
    "tableA1": "tab:res_mil",
    "tableA2": "tab:res_benchmark_mlp",
    "tableA3": "tab:res_crc_mlp",
    "tableA5": "tab:mamm",
}
COMMANDS = {
    "ours": "miplma",
    "oursmm": "miplma-mamm",
    "prodenma": "proden-ma",
    "aggd": "pl-aggd",
    "lmvgpmil": "lm-vgpmil",
    "att": "abmil",
    "attgate": "abmil-gated",
    "lossatt": "loss-attention",
}
TITLES = {one.title: one.id for one in SOURCES.values()}


def numbers(name):
    """Yield method, reduction, data, r and the cell of a table, "" for no reduction."""
    head, *rows = table(paper(), LABELS[name])
    method, reductions, with_r = "", None, head[1] == "r"
    for row in rows:
        if "Mean" in row:
            reductions = row
            continue
        method = row[0].lstrip("\\") or method
        for place in range(1 + with_r, len(row)):
            yield (
                COMMANDS.get(method, method),
                reductions[place].lower() if reductions else "",
                TITLES[head[place].removesuffix("(MIL)")],
                row[1] if with_r else "",
                row[place],
            )


@pytest.mark.parametrize("name", LABELS)
def test_every_number_of_a_table(name):
    backbone = {"table6": "mlp", "tableA2": "mlp", "tableA3": "mlp"}.get(name, "linear")
    only_r = {"table5": "0", "tableA1": "1"}.get(name, "")
    printed = {}
    for method, reduction, data, r, cell in numbers(name):
        if cell == "--":
            continue
        of_network = (reduction or name == "table6") and method != "pl-aggd"
        variant = f"{backbone} {reduction}".strip() if of_network else reduction
        printed[method, variant, data, r or only_r] = cell
    ours = {
        (f.method, f.variant, f.data, "" if f.r is None else str(f.r)): (
            f"{f.mean:.3f}±{f.std:.3f}".replace("0.", ".")
        )
        for f in accuracies(name)
    }
    assert ours == printed
    assert len(accuracies(name)) == len(ours)


def test_counts_of_wins():
    head = ["mil", "pll", "mipl"]
    printed = {}
    for row in table(paper(), "tab:win")[2:]:
        place = row[0].removeprefix("r=").replace("CRC-MIPL", "crc")
        printed |= {(place, f): c for f, c in zip(head, row[1:4], strict=True)}
    by_cell = {(c.row, c.family): c[2:] for c in counts()}
    totals = defaultdict(lambda: (0, 0, 0))
    for (_, family), found in by_cell.items():
        totals[family] = tuple(map(sum, zip(totals[family], found, strict=True)))
    by_cell |= {("Intotal", family): found for family, found in totals.items()}
    told = {key: "/".join(map(str, found)) for key, found in by_cell.items()}
    assert told == {key: cell for key, cell in printed.items() if cell != "--"}


def test_the_table_of_data_sets():
    _, *rows = table(paper(), "tab:datasets")
    assert len(rows) == 10
    for title, *cells in rows:
        record = RECORDS[TITLES[title]]
        mean = round(record.mean, 3 if title == "C-KMeans" else 2)
        told = (
            record.bags,
            record.instances,
            record.largest,
            record.smallest,
            mean,
            record.features,
            record.classes,
        )
        assert [f"{value:g}" for value in told] == cells[:7]


def test_figures_of_one_cell_agree_between_tables():
    found = defaultdict(set)
    for one in accuracies():
        found[one.method, one.variant, one.data, one.r].add((one.mean, one.std))
    assert {len(values) for values in found.values()} == {1}


def test_no_figure_is_above_the_highest():
    for one in accuracies():
        if one.r == 0 or one.data.startswith("kmnist"):
            continue  # With true labels, and of other data: no highest is kept.
        assert one.mean <= max(h.mean for h in highest(one.data, one.r)) + 5e-4


def test_highest_figures_are_among_the_published_ones():
    """But for re-runs in another paper and a figure of one split."""
    means = {(one.data, one.r, one.mean) for one in accuracies()}
    for one in SOURCES.values():
        for best in (b for r in one.counts or (None,) for b in highest(one.id, r)):
            if "re-run" not in best.source and "one split" not in best.source:
                assert (best.data, best.r, best.mean) in means


def test_what_was_not_published_is_none():
    assert published("miplgp", "", "crc-mipl-sift", None) is None
    assert published("miplma-mains", "", "sival-mipl", 1) is None
    assert highest("digits-mipl", 1) == ()


@pytest.mark.parametrize("r", [1, 2, 3])
def test_figures_are_read_with_the_numbers_of_the_right_r(r):
    found = published("demipl", "", "sival-mipl", r)
    assert (found.mean, found.std) == {1: (0.635, 0.041), 2: (0.554, 0.051)}.get(
        r, (0.503, 0.018)
    )
