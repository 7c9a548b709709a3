"""Results of benchmarks: rows are added, none is lost."""

from benchmarks.record import append, load

OLD = {"method": "abmil", "arguments": '{"a": 1, "b": "x"}', "accuracy": "0.5000"}


def test_rows_are_added_below_their_heads(tmp_path):
    file = tmp_path / "new" / "results.csv"
    append(file, OLD)
    append(file, OLD | {"accuracy": "0.7500"})
    assert load(file) == [OLD, OLD | {"accuracy": "0.7500"}]


def test_a_new_column_is_empty_in_old_rows(tmp_path):
    file = tmp_path / "results.csv"
    append(file, OLD)
    append(file, {"all_negative": "0.2500", **OLD})
    old, new = load(file)
    assert old == OLD | {"all_negative": ""} and new == OLD | {"all_negative": "0.2500"}
    assert list(old)[-1] == "all_negative"  # Columns keep their places.
    append(file, OLD)  # As a command begun before the column was there.
    assert load(file) == [old, new, old]
    assert [one.name for one in tmp_path.iterdir()] == ["results.csv"]
