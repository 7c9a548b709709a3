"""The committed results, by what was asked."""

from collections.abc import Iterable
from functools import cache

from tools.study import RESULTS

from mipl.runs.result import Result
from mipl.runs.results_csv import read_csv
from mipl.runs.run import Run


@cache
def committed() -> dict[Run, Result]:
    found = read_csv(RESULTS / "runs.csv")
    by_question = {one.run.question: one for one in found}
    assert len(by_question) == len(found)  # Nothing stands twice.
    return by_question


def answers(plan: Iterable[Run]) -> list[Result]:
    """Return what is known of a plan, in its order."""
    return [committed()[run] for run in plan if run in committed()]
