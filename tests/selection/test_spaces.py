"""Search spaces by name."""

import pytest
from sklearn.model_selection import ParameterGrid

from mipl import MiplError
from mipl.selection import SPACES, space


def test_the_paper_s_grid_is_the_published_one():
    grid = space("miplma-paper-grid")
    assert grid == {
        "lam": [0.01, 0.05, 0.1, 0.5, 1, 3, 5],
        "training__lr": [0.01, 0.05],
    }
    assert len(ParameterGrid(grid)) == 14


def test_a_space_is_the_caller_s_own_copy():
    space("miplma-paper-grid")["lam"].append(9)
    assert 9 not in space("miplma-paper-grid")["lam"]


def test_an_unknown_space_is_told():
    with pytest.raises(MiplError, match="unknown search space 'miplma-grid'; did you"):
        space("miplma-grid")
    assert "miplma-paper-grid" in SPACES
