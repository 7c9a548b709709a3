"""Long frames as bags."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from mipl import MeanPooling, bags_of_frame
from mipl.errors import MiplError

ROWS = {
    "tree": ["b", "a", "b", "c", "a", "b"],
    "height": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    "width": [0, 1, 0, 1, 0, 1],
}
EXPECTED = {"b": [[1, 0], [3, 0], [6, 1]], "a": [[2, 1], [5, 0]], "c": [[4, 1]]}


def as_rows(bags):
    named = zip(bags.bag_ids.tolist(), bags, strict=True)
    return {name: bag.astype(int).tolist() for name, bag in named}


def narwhals(rows):
    return nw.from_native(pl.DataFrame(rows))


def by_kind(rows):
    """Return polars rows with small whole numbers, and categories that name bags."""
    kinds = {"tree": pl.Categorical, "width": pl.Int8, "height": pl.Float32}
    return pl.DataFrame(rows).cast(kinds)


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pa.table, pl.DataFrame, narwhals, by_kind]
)
def test_rows_of_a_bag_are_gathered_in_their_order(make):
    bags = bags_of_frame(make(ROWS), bag="tree")
    assert as_rows(bags) == EXPECTED and list(as_rows(bags)) == ["b", "a", "c"]
    assert bags.features.names == ("height", "width")


def test_a_multi_index_says_where_bags_are():
    frame = pd.DataFrame(ROWS).assign(leaf=range(6)).set_index(["tree", "leaf"])
    assert as_rows(bags_of_frame(frame)) == EXPECTED
    model = MeanPooling().fit(frame, ["elm", "oak", "elm"])
    assert list(model.feature_names_in_) == ["height", "width"]
    p = model.predict_proba(bags_of_frame(pd.DataFrame(ROWS), bag="tree"))
    np.testing.assert_array_equal(model.predict_proba(frame), p)
    assert len(p) == 3
    with pytest.raises(MiplError, match="another order"):
        model.predict(frame[["width", "height"]])


@pytest.mark.parametrize(
    ("frame", "bag", "told"),
    [
        (pd.DataFrame(ROWS), None, "without a MultiIndex"),
        (pd.DataFrame(ROWS), "leaf", "no column 'leaf'"),
        (pd.DataFrame(ROWS).assign(kind="x"), "tree", "'kind' must hold numbers"),
        (pd.DataFrame(ROWS).iloc[:0], "tree", "it has none"),
        (np.ones((2, 2)), "tree", "must be a data frame"),
        (pd.DataFrame({"tree": [1], "x": [np.nan]}), "tree", "holds NaN"),
        (pl.DataFrame(ROWS), None, "without a MultiIndex"),
        (pl.DataFrame(ROWS), "leaf", "no column 'leaf'"),
        (pl.DataFrame({"tree": [1], "x": ["oak"]}), "tree", "'x' must hold numbers"),
        (pl.DataFrame({"tree": [1, 1], "x": [1, None]}), "tree", "holds NaN"),
        (pl.DataFrame(ROWS).clear(), "tree", "it has none"),
        (pl.DataFrame(ROWS).lazy(), "tree", r"no rows before .* give frame.collect"),
        (narwhals(ROWS).lazy(), "tree", r"no rows before .* give frame.collect"),
        *(
            (make({"tree": ["a", None, None], "x": [1, 2, 3]}), "tree", "row 1 .* 2 ro")
            for make in (pd.DataFrame, pa.table, pl.DataFrame)
        ),
        (pd.DataFrame({"tree": [1.0, np.nan], "x": 1}), "tree", "row 1 .* 1 row in"),
    ],
)
def test_mistakes_are_sentences(frame, bag, told):
    with pytest.raises(MiplError, match=told):
        bags_of_frame(frame, bag=bag)


def test_polars_frames_are_fitted_on_with_the_names_of_their_columns():
    frame = pl.DataFrame(ROWS)
    bags = bags_of_frame(frame, bag="tree")
    model = MeanPooling().fit(bags, ["elm", "oak", "elm"])
    assert list(model.feature_names_in_) == ["height", "width"]
    turned = bags_of_frame(frame.select("tree", "width", "height"), bag="tree")
    with pytest.raises(MiplError, match="another order"):
        model.predict(turned)
    of_rows = MeanPooling().fit(frame.drop("tree"), list("aabbab"))
    assert list(of_rows.feature_names_in_) == ["height", "width"]
