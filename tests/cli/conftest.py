import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from mipl.cli.main import main


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(capsys, monkeypatch) -> Callable[..., Ran]:
    """Run ``mipl`` as its entry point does, in a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: object) -> Ran:
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Ran(end.value.code, printed.out, printed.err)

    return run


@pytest.fixture
def trees(tmp_path):
    """A small table of the user's own: 3 bags, 4 instances, 2 classes."""
    path = tmp_path / "trees.csv"
    rows = ["bag_id,height,width,candidates", "p,1,2,oak|elm", "p,2,3,oak|elm"]
    path.write_text("\n".join([*rows, "q,3,1,oak", "r,4,5,elm"]))
    return path
