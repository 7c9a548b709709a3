"""Curves of a training, its time, and the settings that a form asks for."""

from pathlib import Path

import pytest

from mipl import load_dataset, write_dataset
from mipl.errors import MiplError
from mipl.page.fit_request import FitRequest, fit_arguments
from mipl.page.jobs import Job
from mipl.page.library import Library
from mipl.page.time_estimate import expected_seconds
from mipl.page.training_view import seconds_left, training_curves
from mipl.page.workspace import Workspace
from mipl.runs.run_settings import RunSettings


def test_each_figure_has_its_curve() -> None:
    lines = [
        {"kind": "epoch", "done": 1.0, "total": 4, "loss": 2.0, "margin_mean": -0.5},
        {"kind": "look", "done": 1.0, "accuracy": 0.5},
        {"kind": "epoch", "done": 2.0, "total": 4, "loss": 1.0, "resolved": 0.25},
    ]
    curves = training_curves(lines)
    assert curves.terms == {"loss": [(1.0, 2.0), (2.0, 1.0)]}
    assert curves.margins == {"mean margin": [(1.0, -0.5)]}
    assert curves.resolved == {"resolved sets": [(2.0, 0.25)]}
    assert curves.judged == {"accuracy": [(1.0, 0.5)]}
    assert curves.share == 0.5 and seconds_left(curves, 8.0) == 8.0
    assert seconds_left(training_curves([]), 8.0) is None


def test_long_trainings_are_thinned_out_but_for_their_ends() -> None:
    lines = [{"kind": "epoch", "done": float(i), "loss": float(i)} for i in range(5000)]
    points = training_curves(lines).terms["loss"]
    assert len(points) <= 401 and points[0] == (0, 0) and points[-1] == (4999, 4999)


def finished(
    method: str,
    epochs: int,
    size: float,
    seconds: float,
    kind: str = "fit",
    folder: Path = Path(),
) -> Job:
    cost = {"method": method, "epochs": epochs, "size": size}
    return Job(
        "0" * 32, folder, kind, "", {"cost": cost}, 0, "finished", "", 0, seconds
    )


def test_a_trial_tells_of_any_number_of_epochs(tmp_path) -> None:
    (tmp_path / "result.json").write_text('{"each": 0.5, "around": 2.0}')
    trial = finished("a", 100, 1000.0, 9.0, "time", tmp_path)
    wanted = {"method": "a", "epochs": 20, "size": 1000.0}
    assert expected_seconds(wanted, [trial]) == pytest.approx(12.0)
    # A training of the same size knows better; one of another size does not.
    alike, other = finished("a", 10, 1000.0, 70.0), finished("a", 10, 2000.0, 70.0)
    assert expected_seconds(wanted, [trial, alike]) == pytest.approx(140.0)
    assert expected_seconds(wanted, [other, trial]) == pytest.approx(12.0)
    assert expected_seconds(wanted, [finished("a", 10, 4000.0, 70.0)]) is None
    (tmp_path / "result.json").write_text("{}")
    assert expected_seconds(wanted, [trial]) is None


def test_time_is_foretold_by_the_training_that_is_most_alike() -> None:
    before = [finished("a", 10, 100.0, 5.0), finished("a", 10, 1e6, 500.0)]
    wanted = {"method": "a", "epochs": 20, "size": 100.0}
    assert expected_seconds(wanted, before) == pytest.approx(10.0)
    assert expected_seconds({**wanted, "size": 200.0}, before) == pytest.approx(
        10.0 * 2**0.7
    )
    assert expected_seconds({**wanted, "method": "b"}, before) is None


@pytest.fixture
def request_for(tmp_path: Path):
    work = Workspace(tmp_path)
    path = work.new_dataset("digits")
    write_dataset(load_dataset("digits-mipl")[:30], path)

    def make(method: str = "miplma", arguments=None, **more) -> FitRequest:
        told = {"published": "", "reduction": "", "split": "0", "seed": "0"}
        told = {**told, "calibrate": "", **more}
        place = work.place(path)
        return FitRequest(place, method, arguments or {}, **told, library=Library())

    return make


def test_a_form_becomes_the_settings_of_mipl_fit(request_for, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    asked = request_for(
        arguments={"lam": 2, "training__epochs": 5}, split="3", calibrate="0.2"
    )
    told = fit_arguments(asked)
    assert told["settings"] == {
        "data": "data/digits.bags.h5",
        "method": "miplma",
        "seed": 0,
        "split": 3,
        "calibrate": 0.2,
        "arguments": {"lam": 2},
        "training": {"epochs": 5},
    }
    assert told["cost"]["epochs"] == 5 and told["cost"]["size"] > 30 * 64
    run = RunSettings.of_tables(told["settings"]).run()
    assert (run.split, run.arguments["lam"], run.calibrate) == (3, 2, 0.2)
    vectors = fit_arguments(request_for("proden", reduction="mean", split=""))
    assert vectors["settings"]["arguments"] == {"reduction": "mean"}
    assert "split" not in vectors["settings"]
    published = fit_arguments(request_for(published="mnist-mipl"))
    assert published["settings"]["published"] == "mnist-mipl"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"seed": "-1"}, "seed must be a whole number"),
        ({"seed": "a"}, "seed must be a whole number"),
        ({"calibrate": "2"}, "calibrate of a run must be"),
        ({"calibrate": "much"}, "the share to calibrate"),
        ({"arguments": {"lam": -1, "nonsense": 2}}, "nonsense"),
    ],
)
def test_wrong_forms_are_refused_before_a_process_is_started(
    request_for, monkeypatch, tmp_path, more, told
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MiplError, match=told):
        fit_arguments(request_for(**more))
