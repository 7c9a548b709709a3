"""Search spaces by name."""

import pytest
from sklearn.model_selection import ParameterGrid

from mipl import MiplError, method
from mipl.methods.catalogue.registry import methods
from mipl.selection import SPACES, paper_space, space, usual_space


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


PARTIAL = [row.id for row in methods() if row.family == "pll"]


@pytest.mark.parametrize("id", PARTIAL)
def test_every_partial_label_method_has_a_grid_of_few_points_it_accepts(id):
    grid = list(ParameterGrid(usual_space(id)))
    assert 3 <= len(grid) <= 40  # As many as ``mipl tune`` tries at most by itself.
    for point in grid:
        model = method(id, **point)
        model._check_arguments()
        assert model.get_params().items() >= point.items()


def test_the_usual_space_is_the_paper_s_where_there_is_one():
    assert usual_space("miplma-released") == paper_space("miplma-released")
    with pytest.raises(MiplError, match="no grid of the paper of proden-ma is known"):
        paper_space("proden-ma")
    with pytest.raises(MiplError, match="no grid for demipl is known; give what is"):
        usual_space("demipl")
