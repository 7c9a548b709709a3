"""Which runs a worker fits together."""

from dataclasses import replace

from mipl.runs.groups import groups
from mipl.runs.run import Run


def splits(method, count, data="synthetic", **arguments):
    return [Run(method, data, arguments, split=split) for split in range(count)]


def test_stacked_methods_are_grouped_and_others_are_not():
    runs = [*splits("miplma", 3), *splits("pl-svm", 3, reduction="mean")]
    assert [len(group) for group in groups(runs, 1)] == [3, 1, 1, 1]


def test_what_a_stack_may_differ_in_is_one_group():
    runs = [*splits("miplma", 2, lam=2.0), *splits("miplma", 2, lam=3.0)]
    assert len(groups(runs, 1)) == 1
    other_networks = [*splits("miplma", 2, width=8), *splits("miplma", 2, width=16)]
    assert len(groups(other_networks, 1)) == 2
    other_data = [*splits("miplma", 2), *splits("miplma", 2, "digits-mipl")]
    assert len(groups(other_data, 1)) == 2


def test_groups_are_small_and_leave_no_worker_without_work():
    assert [len(group) for group in groups(splits("miplma", 10), 2)] == [5, 5]
    assert [len(group) for group in groups(splits("miplma", 10), 8)] == [2] * 5
    assert [len(group) for group in groups(splits("miplma", 12), 1)] == [4, 4, 4]
    assert groups([], 2) == []


def test_steps_of_one_bag_are_shared_by_more_runs():
    assert [len(group) for group in groups(splits("elimipl", 10), 1)] == [10]
    each_r = [replace(run, r=r) for r in (1, 2, 3, 4) for run in splits("cdl", 10)]
    assert [len(group) for group in groups(each_r, 1)] == [20, 20]
    larger_steps = splits("elimipl", 10, training__batch_size=8)
    assert [len(group) for group in groups(larger_steps, 1)] == [5, 5]


def test_a_large_data_set_is_not_held_in_memory_many_times(monkeypatch):
    monkeypatch.setattr("mipl.runs.groups._NUMBERS", 0)
    assert [len(group) for group in groups(splits("elimipl", 10), 1)] == [5, 5]


def test_every_run_is_in_one_group_in_the_plan_s_order():
    runs = [*splits("miplma", 7), *splits("demipl", 4)]
    assert [run for group in groups(runs, 2) for run in group] == runs


def test_a_run_that_cannot_be_built_is_left_to_whoever_computes():
    assert groups([Run("nothing", "synthetic")], 1) == [[Run("nothing", "synthetic")]]


def test_an_estimator_is_built_once_per_setting(monkeypatch):
    built = []
    build = Run.build
    monkeypatch.setattr(Run, "build", lambda run: built.append(run) or build(run))
    runs = [*splits("miplma", 5), *splits("miplma", 5, lam=2.0)]
    groups([*runs, *(replace(run, seed=1) for run in runs)], 2)
    assert len(built) == 2
