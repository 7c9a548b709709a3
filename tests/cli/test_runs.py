"""``mipl runs``: compute, look, compare, share; interrupted and told so."""

import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from mipl import load_dataset, method
from mipl.io import read_dataset, write_dataset
from mipl.runs.result import Result
from mipl.runs.run import Run
from mipl.runs.run_data import content_of
from mipl.runs.store import Store

GRID = ("--data", "synthetic", "--epochs", 2, "--workers", 1)


@pytest.fixture
def runs(run, tmp_path):
    """Run ``mipl runs`` on a store of the test's own."""

    def runs(verb, *arguments, store="results.db"):
        return run("runs", verb, *arguments, "--store", tmp_path / store)

    return runs


def fill(tmp_path, method, scores, arguments=None):
    store = Store(tmp_path / "results.db", create=True)
    for split, score in enumerate(scores):
        run = Run(method, "digits-mipl", arguments or {}, split=split)
        store.record(Result(run, "finished", score, 2.0, {"ece": 0.25}))
    return store


def test_a_grid_is_computed_once(runs, tmp_path):
    grid = (*GRID, "--method", "miplma", "--splits", "0-1", "--r", "1,2")
    told = runs("compute", *grid, "--dry-run", "--json").json
    assert (told["runs"], told["to_compute"], told["without_estimate"]) == (4, 4, 4)
    ran = runs("compute", *grid)
    assert ran.code == 0 and "4 finished" in ran.out
    assert f"saved  {tmp_path / 'results.db'}" in ran.out
    told = runs("compute", *grid, "--json").json
    assert (told["runs"], told["known"], told["ended"]) == (4, 4, {})
    rows = runs("ls", "--json").json
    assert {(row["r"], row["split"]) for row in rows} == {
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 1),
    }
    assert rows[0]["arguments"] == {"training__epochs": 2}
    told = runs("compute", *grid, "--seed", 1, "--dry-run", "--json").json
    assert told["to_compute"] == 4 and told["seconds"] > 0


def test_settings_and_options_reach_the_run(runs):
    given = (
        "--set",
        "lam=2.5",
        "--set",
        "training.lr=0.2",
        "--set",
        "options.n_bags=40",
    )
    ran = runs("compute", *GRID, "--method", "miplma", "--splits", 3, *given)
    assert ran.code == 0
    (row,) = runs("ls", "--json").json
    assert row["options"] == {"n_bags": 40} and row["split"] == 3
    assert row["arguments"] == {"lam": 2.5, "training__lr": 0.2, "training__epochs": 2}


@pytest.mark.parametrize("flags", [(), ("--dry-run",)])
def test_an_unknown_argument_is_refused_before_anything_is_planned(
    flags, runs, tmp_path
):
    grid = (*GRID, "--method", "miplma", "--splits", 0, "--set", "colour=1", *flags)
    ran = runs("compute", *grid)
    assert ran.code == 2 and ran.out == ""
    assert ran.err.startswith("error: unknown argument of miplma 'colour'")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_run_is_told_and_listed(runs):
    grid = (*GRID, "--method", "miplma", "--splits", 0, "--set", "lam=-1")
    ran = runs("compute", *grid)
    assert ran.code == 1 and "1 run failed; mipl runs ls --state failed" in ran.err
    ran = runs("ls", "--state", "failed")
    assert "lam of MIPLMA must be a number >= 0" in " ".join(ran.out.split())


def test_what_diverged_is_told_apart_and_computed_again_only_if_asked(runs):
    grid = ("--method", "miplma", *GRID, "--splits", 0, "--set", "training.lr=1e30")
    assert runs("compute", *grid, "--json").json["ended"] == {"diverged": 1}
    told = runs("compute", *grid, "--dry-run", "--json").json
    assert (told["known"], told["diverged"], told["to_compute"]) == (1, 1, 0)
    assert "1 of them known, 1 diverged" in runs("compute", *grid, "--dry-run").out
    assert "1 of them known before, 1 diverged" in runs("compute", *grid).out
    again = (*grid, "--retry-diverged")
    told = runs("compute", *again, "--dry-run", "--json").json
    assert (told["known"], told["diverged"], told["to_compute"]) == (0, 0, 1)
    assert runs("compute", *again, "--json").json["ended"] == {"diverged": 1}


def test_what_diverged_is_not_forgotten_where_its_data_are_absent(runs, tmp_path):
    path = write(tmp_path / "x.bags.h5", 40, labels=None)  # Of no use as it is.
    lost = Result(Run("miplma", str(path)), "diverged", None, 1.0, message="NaN.")
    Store(tmp_path / "results.db", create=True).record(lost)
    grid = ("--method", "miplma", "--data", path, "--splits", 0, "--retry-diverged")
    assert runs("compute", *grid).code == 2
    assert len(Store(tmp_path / "results.db").results(["diverged"])) == 1


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ((), "nothing is asked for; give --method and --data."),
        (
            ("--method", "miplma", "--data", "synthetic", "--set", "split=3"),
            "--set split=... is one run's; give --splits.",
        ),
        (
            ("--method", "miplma", "--data", "synthetic", "--set", "trainig.lr=1"),
            "unknown table in --set 'trainig'; did you mean 'training'?",
        ),
        (
            ("--method", "miplma", "--data", "synthetic", "--set", "calibrate=0.2"),
            "leave calibrate out",
        ),
        (("--method", "miplam", *GRID), "did you mean 'miplma'?"),
        (("--method", "miplma", "--data", "digits"), "unknown data set 'digits'"),
        (("--method", "miplma", *GRID, "--splits", "x"), "--splits takes numbers"),
        (("--method", "miplma", *GRID, "--splits", "5-3"), "is empty or absurd"),
        (("--method", "miplma", *GRID, "--backend", "dask"), "--address go together"),
        (("--method", "miplma", *GRID, "--address", "tcp://a:1"), "go together"),
    ],
)
def test_wrong_input_is_told_in_a_sentence(arguments, sentence, runs):
    ran = runs("compute", *arguments)
    assert ran.code == 2 and sentence in ran.err and "Traceback" not in ran.err


def write(path, n_bags, **changes):
    data = load_dataset("synthetic", n_bags=n_bags)
    write_dataset(replace(data, **changes), path)
    return path


def test_a_file_of_ones_own_is_data_like_any_other(runs, tmp_path):
    path = write(tmp_path / "my bags.bags.h5", 40)
    grid = ("--method", "miplma", "--data", path, "--splits", "0-1", "--epochs", 2)
    ran = runs("compute", *grid, "--workers", 1)
    assert ran.code == 0 and "2 finished" in ran.out
    first, _ = Store(tmp_path / "results.db").results()
    data = read_dataset(path)
    assert (first.run.data, first.run.content) == (str(path), content_of(data))
    train, test = data.split(0)
    model = method("miplma", random_state=0, training__epochs=2)
    model.fit(train.bags, train.candidates)
    assert first.accuracy == model.score(test.bags, test.labels)
    assert runs("compute", *grid, "--dry-run", "--json").json["known"] == 2
    runs("export", tmp_path / "table.csv")
    ran = runs("import", tmp_path / "table.csv", "--json")
    assert (ran.json["added"], ran.json["known"]) == (0, 2)
    write(path, 50)  # Other bags under the same name.
    assert runs("compute", *grid, "--dry-run", "--json").json["to_compute"] == 2


def test_a_file_that_cannot_be_used_is_told(runs, tmp_path):
    grid = ("--method", "miplma", "--splits", 0)
    path = write(tmp_path / "x.bags.h5", 40)
    ran = runs("compute", *grid, "--data", path, "--r", 2)
    assert ran.code == 2 and "--r goes with a name of the catalog" in ran.err
    ran = runs("compute", *grid, "--data", tmp_path / "y.bags.h5")
    assert ran.code == 2 and "y.bags.h5 does not exist" in ran.err
    write(path, 40, labels=None)
    ran = runs("compute", *grid, "--data", path)
    assert ran.code == 2 and "has no true labels" in ran.err


def test_results_are_listed_and_shown(runs, tmp_path):
    store = fill(tmp_path, "miplma", [0.5, 0.75], {"lam": 2.0})
    ran = runs("ls", "--last", 1)
    assert "2 finished" in ran.out and "0.750" in ran.out and "0.500" not in ran.out
    assert "1 more; --last 2 shows all" in ran.out
    key = store.results()[0].key
    ran = runs("show", key[:8])
    assert "0.5000" in ran.out and "lam" in ran.out and "ece" in ran.out
    told = runs("show", key[:8], "--json").json
    assert told["key"] == key and told["curves"] == {} and told["predictions"] is None
    assert runs("ls", "--method", "demipl", "--json").json == []
    ran = runs("show", "f" * 20)
    assert ran.code == 2 and "no result in" in ran.err


def test_two_methods_are_compared(runs, tmp_path):
    fill(tmp_path, "miplma", [0.81, 0.84, 0.79])
    fill(tmp_path, "demipl", [0.78, 0.80, 0.77], {"published": True})
    ran = runs("compare", "miplma", "demipl")
    assert "win" in ran.out and "+0.030" in ran.out and "0.035" in ran.out
    (cell,) = runs("compare", "miplma", "demipl", "--unpaired", "--json").json["cells"]
    assert cell["verdict"] == "tie" and cell["splits"] == 3
    ran = runs("compare", "miplma", "elimipl")
    assert ran.code == 2 and "holds no finished run of 'elimipl'" in ran.err


def test_results_travel_as_files(runs, tmp_path):
    fill(tmp_path, "miplma", [0.5, 0.75])
    for name in ("table.csv", "copy.db"):
        assert runs("export", tmp_path / name).code == 0
        ran = runs("import", tmp_path / name, "--json", store=f"from {name}.db")
        assert ran.json["added"] == 2
        again = runs("import", tmp_path / name, store=f"from {name}.db")
        assert "0 results, 2 were known" in again.out
        found = Store(tmp_path / f"from {name}.db").results()
        assert [one.accuracy for one in found] == [0.5, 0.75]


@pytest.mark.parametrize("verb", [("ls",), ("show", "ab"), ("compare", "a", "b")])
def test_a_store_that_is_not_there_is_told(verb, runs, tmp_path):
    ran = runs(*verb)
    assert ran.code == 2 and "results.db does not exist" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_keeps_what_is_done_and_tells_how_to_go_on(run, tmp_path):
    path = tmp_path / "my results.db"
    grid = ("--method", "miplma", "--data", "synthetic", "--splits", "0-7")
    command = ["runs", "compute", *grid, "--epochs", "5", "--workers", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "mipl.cli.main", *command, "--store", str(path)],
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < end:
        if path.exists() and path.stat().st_size and Store(path).results():
            break
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    told = next(line for line in err.splitlines() if line.startswith("interrupted: "))
    words = shlex.split(told.removeprefix("interrupted: go on with: "))
    before = Store(path).results()
    assert 0 < len(before) < 8
    ran = run(*words[1:], "--json")
    assert ran.code == 0 and ran.json["known"] == len(before)
    assert ran.json["known"] + ran.json["ended"]["finished"] == 8
    assert Store(path).results()[: len(before)] == before


@pytest.mark.parametrize(
    "given",
    [
        ("--r", 1, "--r", "3", "--splits", 0, "--splits", "2-3"),
        ("--r", "1,3", "--splits", "0,2-3"),
    ],
)
@pytest.mark.parametrize(
    "methods",
    [("--method", "miplma,demipl"), ("--method", "miplma", "--method", "demipl")],
)
def test_lists_are_taken_repeated_and_with_commas(runs, given, methods):
    told = runs("compute", *GRID, *methods, *given, "--dry-run", "--json").json
    assert told["runs"] == 2 * 2 * 3


def test_lists_of_what_is_looked_at(runs, tmp_path):
    fill(tmp_path, "miplma", [0.5])
    fill(tmp_path, "demipl", [0.5])
    for given in (("miplma,demipl",), ("miplma", "--method", "demipl")):
        assert len(runs("ls", "--method", *given, "--json").json) == 2
    assert len(runs("ls", "--state", "finished,failed", "--json").json) == 2


def test_a_dry_run_on_an_empty_store_says_that_it_cannot_tell(runs):
    ran = runs("compute", *GRID, "--method", "miplma", "--splits", 0, "--dry-run")
    assert "1 run: how long cannot be told, the store has none like them" in " ".join(
        ran.out.split()
    )
