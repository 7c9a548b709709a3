"""Label weights over the epochs, where a run has recorded them."""

import numpy as np
import pytest

from mipl import MiplError, Run, load_dataset, write_dataset
from mipl.page.fit_request import FitRequest, fit_arguments
from mipl.page.label_weight_lines import bags_to_record, label_weight_lines
from mipl.page.library import Library
from mipl.page.workspace import Workspace
from mipl.runs.execution import fitted_bags
from mipl.runs.folder import open_model
from mipl.runs.run_settings import RunSettings


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("work"))
    data = load_dataset("synthetic", r=2, n_bags=40)
    write_dataset(data, workspace.new_dataset("trees"))
    return workspace


def asked(work, method="miplma", record=True, **arguments) -> FitRequest:
    told = {"published": "", "reduction": "", "split": "2", "seed": "3"}
    told |= {"calibrate": "0.2", "library": Library(), "record": record}
    given = {f"training__{name}": value for name, value in arguments.items()}
    return FitRequest(work.datasets()[0], method, given, **told)


def test_the_weights_of_a_training_bag_are_those_that_moved(work, monkeypatch):
    monkeypatch.chdir(work.folder)
    settings = fit_arguments(asked(work, epochs=4))["settings"]
    run = RunSettings.of_tables(settings).run()
    data = run.load()
    fitted = run.execute(work.new_run("first"))
    opened = open_model(work.folder / "runs/first")
    numbers = fitted_bags(run, data)
    assert len(numbers) == len(fitted.parts.train) < len(data.fold(2).train)
    for place in (0, 7, len(numbers) - 1):
        bag = int(numbers[place])
        lines = label_weight_lines(data, opened, bag)
        inside = data.candidates.matrix[bag]
        assert set(lines) == {str(name) for name in data.classes[inside]}
        assert all([at for at, _ in line] == [1, 2, 3, 4] for line in lines.values())
        last = np.array([line[-1][1] for line in lines.values()])
        assert last == pytest.approx(fitted.model.label_weights_[place][inside])
        assert last.sum() == pytest.approx(1)
    with pytest.raises(MiplError, match="not learnt from this bag"):
        label_weight_lines(data, opened, int(data.fold(2).test[0]))


def test_who_has_recorded_nothing_is_told_how(work, monkeypatch):
    monkeypatch.chdir(work.folder)
    settings = fit_arguments(asked(work, record=False, epochs=1))["settings"]
    assert "record_bags" not in settings["training"]
    run = RunSettings.of_tables(settings).run()
    run.execute(work.new_run("second"))
    data = run.load()
    opened = open_model(work.folder / "runs/second")
    bag = int(fitted_bags(run, data)[5])
    told = "has not recorded them; train again with .* training.record_bags=5"
    with pytest.raises(MiplError, match=told):
        label_weight_lines(data, opened, bag)


def test_what_records_nothing_is_refused_before_it_is_trained(work, monkeypatch):
    monkeypatch.chdir(work.folder)
    with pytest.raises(MiplError, match="miplgp has no label weights that move"):
        fit_arguments(asked(work, "miplgp"))
    with pytest.raises(MiplError, match="cannot be held out for stop on"):
        fit_arguments(asked(work, stop_on="covering_rate"))


def test_no_more_is_recorded_than_there_is_room_for(work):
    data = work.datasets()[0]
    whole = Library().dataset(data)
    run = Run("miplma", str(data.path), {"training__epochs": 1_000_000}, split=None)
    found = bags_to_record(run, run.build(), whole)
    assert found == [0, 13, 26, 39]  # 20 million weights of 5 classes.
