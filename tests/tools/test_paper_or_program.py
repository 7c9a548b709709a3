"""The study of paper and program changes one thing at a time, and ends at the paper."""

from pathlib import Path
from statistics import fmean, pstdev

import pytest
from tests.tools.committed import committed

from mipl import MIPLMA, method
from tools import paper_or_program

PAGE = Path(__file__).parents[2] / "docs" / "paper_and_program.md"


def plan():
    return paper_or_program.sival()


def test_the_first_runs_are_the_program_as_published():
    published = method("miplma-released", published_for="sival-mipl", r=1)
    built = plan()[0].build()
    assert str(built.get_params()) == str(
        published.set_params(random_state=0).get_params()
    )


@pytest.mark.parametrize("name", list(paper_or_program.UNDONE)[1:])
def test_what_is_undone_is_what_the_paper_says(name):
    change = paper_or_program.UNDONE[name]
    paper, program = MIPLMA.paper(), MIPLMA.released()
    for argument, value in change.items():
        if argument in ("width", "scaling", "margin"):
            continue  # Nothing is told of these two; the paper's batch is the epoch.
        assert paper.get_params()[argument] == value
        assert program.get_params()[argument] != value


def test_each_run_differs_from_the_program_by_one_change():
    runs = plan()
    assert len(runs) == 3 * (len(paper_or_program.UNDONE) + 1) == len(set(runs))
    for name, run in zip(paper_or_program.UNDONE, runs[::3], strict=False):
        extra = dict(run.arguments.items() - paper_or_program.PROGRAM.items())
        assert extra == paper_or_program.UNDONE[name]


def told(runs):
    """Return mean and deviation of some runs, as the page writes them."""
    found = [committed()[run].accuracy for run in runs]
    mean, spread = (
        f"{value:.3f}".lstrip("0") for value in (fmean(found), pstdev(found))
    )
    return f"{mean} ± {spread}"


def test_the_page_has_the_figures_of_the_rows():
    runs = plan()
    lines = [line.split(" | ") for line in PAGE.read_text().splitlines()]
    table = {cells[0].strip("| "): cells for cells in lines if len(cells) > 3}
    names = [
        "program",
        *(name.split(":")[0] for name in list(paper_or_program.UNDONE)[1:]),
    ]
    for place, name in enumerate([*names, paper_or_program.TOGETHER]):
        assert table[name][-1].strip(" |") == told(runs[3 * place : 3 * place + 3])
