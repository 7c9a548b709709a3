"""The study of paper and program changes one thing at a time, and ends at the paper."""

import pytest

from mipl import MIPLMA, method
from tools import paper_or_program


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
