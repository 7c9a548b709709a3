"""Checkpoints of other runs, damaged files, and saves that fail."""

import errno
import os
import resource

import numpy as np
import pytest
from safetensors.numpy import load, save
from tests.test_files import POINTS, Faulty, PowerCut
from tests.training.interrupted import PROBLEM, bits, stopped_at

from mipl import MIPLMA, Candidates, Checkpoint, MiplError, Training
from mipl.errors import BadFile
from mipl.methods.saving import persist
from mipl.training import checkpoint, keeping
from mipl.training.sealed import seal, unseal


def model(kind=MIPLMA, random_state=0, lam=0.5, margin_ddof=0, **training):
    settings = {"epochs": 3, "batch_size": 4} | training
    arguments = {"lam": lam, "margin_ddof": margin_ddof, "random_state": random_state}
    return kind(width=4, training=Training(**settings), **arguments)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The bytes of a checkpoint in the second epoch."""
    path = tmp_path_factory.mktemp("saved") / "run.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        model(stopped_at(4), record_bags=(1,)).fit(
            PROBLEM.bags, PROBLEM.y, checkpoint=path
        )
    return path.read_bytes()


@pytest.fixture
def path(tmp_path, saved):
    """A checkpoint that ``go_on`` can go on from."""
    path = tmp_path / "run.checkpoint"
    path.write_bytes(saved)
    return path


def go_on(path, bags=PROBLEM.bags, y=PROBLEM.y, **settings):
    settings = {"kind": stopped_at(), "record_bags": (1,)} | settings
    return model(**settings).fit(bags, y, checkpoint=path)


def refused(path, *arguments, **settings):
    before = path.read_bytes()
    with pytest.raises(MiplError) as told:
        go_on(path, *arguments, **settings)
    assert path.read_bytes() == before
    return str(told.value)


# -- other runs ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "name", "was", "now"),
    [
        ({"lam": 0.25}, "lam", "0.5", "0.25"),
        ({"random_state": 1}, "seed", "0", "1"),
        ({"epochs": 4}, "training.epochs", "3", "4"),
        ({"lr": 0.01}, "training.lr", "0.05", "0.01"),
        ({"batch_size": 6}, "training.batch_size", "4", "6"),
        ({"instances_per_bag": 2}, "training.instances_per_bag", "None", "2"),
        ({"threads": 2}, "training.threads", "1", "2"),
        ({"dtype": "float64"}, "training.dtype", "float32", "float64"),
        ({"stop_on": "covering_rate"}, "training.stop_on", "None", "covering_rate"),
        ({"margin_ddof": 1}, "margin_ddof", "0", "1"),
        ({"clip": 2.0}, "training.clip", "1.0", "2.0"),
    ],
    ids=lambda part: None if isinstance(part, (dict, str)) else part,
)  # fmt: skip
def test_other_arguments_are_refused_and_named(path, change, name, was, now):
    assert refused(path, **change) == (
        f"{path} is the checkpoint of another run: its {name} is {was}, here it is "
        f"{now}; go on with the same, or delete the file to begin anew."
    )


def test_another_method_is_refused(path):
    told = refused(path, kind=MIPLMA)
    assert "its method is tests.training.interrupted:Stopped, here it is mipl" in told


def test_other_bags_are_refused(path):
    one = [bag.copy() for bag in PROBLEM.bags]
    one[3][0, 0] += 1e-6
    for bags in (one, PROBLEM.bags[::-1], PROBLEM.bags[1:] + PROBLEM.bags[:1]):
        assert "its bags is " in refused(path, bags)


def test_other_candidates_are_refused(path):
    matrix, classes = PROBLEM.candidates, PROBLEM.classes
    wider = matrix.copy()
    wider[0] = True
    votes = Candidates(np.where(matrix, [1.0, 2.0, 3.0], 0.0), classes=classes)
    renamed = Candidates(matrix, classes=["ash", "oak", "yew"])
    for y in (Candidates(wider, classes=classes), votes, renamed):
        assert "its candidates is " in refused(path, y=y)


@pytest.mark.parametrize("package", ["mipl", "numpy", "scikit-learn", "torch"])
def test_other_versions_are_refused(path, package, monkeypatch):
    real = persist.version
    monkeypatch.setattr(
        persist, "version", lambda name: "0.0.1" if name == package else real(name)
    )
    told = refused(path)
    assert f"its version of {package} is {real(package)}, here it is 0.0.1" in told


# -- files that are no checkpoints ---------------------------------------------------


def test_a_cut_or_changed_file_is_refused(path, saved):
    rng = np.random.default_rng(0)
    for length in rng.integers(0, len(saved), 40):
        path.write_bytes(saved[:length])
        with pytest.raises(BadFile):
            go_on(path)
    for place in [*range(16), *rng.integers(0, len(saved), 60)]:
        changed = bytearray(saved)
        changed[place] ^= 1 << rng.integers(8)
        path.write_bytes(changed)
        with pytest.raises(BadFile, match=r"is damaged|is not a checkpoint"):
            go_on(path)


@pytest.mark.parametrize(
    "content", [b"", b"PK\3\4", b"\0" * 100, save({"w": np.zeros(2)})]
)
def test_another_file_is_refused(path, content):
    path.write_bytes(content)
    assert refused(path) == f"{path} is not a checkpoint of mipl."


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(MiplError, match="is not a file"):
        go_on(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("version", 2), ("format", "x"), ("epoch", -1), ("history", [1]), ("more", 1)],
)
def test_facts_that_make_no_sense_are_refused(path, saved, name, value):
    arrays, facts = unseal(path, saved)
    path.write_bytes(seal(arrays, facts | {name: value}))
    assert f"{path} is damaged at '{name}" in refused(path)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("module.head.classifier.weight", None),
        ("module.head.classifier.weight", (7, 2)),
        ("label_weights", None),
        ("label_weights", (7, 2)),
        ("label_weights", (1, 3)),  # It would be repeated for every bag.
        ("label_weights", ()),
        ("probabilities", (1, 3)),
        ("mean_probabilities", (2,)),
        ("last.module.head.classifier.weight", None),
        ("module.more", (7, 2)),
        ("optimiser.velocity", None),
        ("optimiser.velocity", (7, 2)),
        ("optimiser.x", (7, 2)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(path, saved, name, shape):
    arrays, facts = unseal(path, saved)
    if shape is None:
        arrays = {other: array for other, array in arrays.items() if other != name}
    else:
        arrays[name] = np.zeros(shape, np.float32)
    path.write_bytes(seal(arrays, facts))
    told = refused(path)
    assert told == f"{path} does not hold the state of this training."


def test_the_file_is_plain_safetensors(saved):
    arrays = load(saved)
    assert arrays["label_weights"].shape == PROBLEM.candidates.shape
    assert not [name for name, a in arrays.items() if not np.isfinite(a).all()]


# -- saves that fail -----------------------------------------------------------------


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EIO, None])
@pytest.mark.parametrize(("call", "when"), POINTS)
def test_a_save_that_fails_raises_and_leaves_a_checkpoint(
    path, saved, call, when, code, monkeypatch
):
    error = PowerCut() if code is None else OSError(code, os.strerror(code))

    def failing(*arguments):
        checkpoint.save(*arguments, calls=Faulty(call, when, error))

    monkeypatch.setattr(keeping, "save", failing)
    with pytest.raises(PowerCut if code is None else MiplError) as told:
        go_on(path)
    if code is not None:
        assert f"cannot write {path}: {os.strerror(code).lower()}" in str(told.value)
    monkeypatch.undo()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    renamed = call == "fsync_dir" or (call, when) == ("replace", "after")
    assert (path.read_bytes() == saved) != renamed
    assert bits(go_on(path)) == unbroken()


def unbroken():
    return bits(model(stopped_at(), record_bags=(1,)).fit(PROBLEM.bags, PROBLEM.y))


def test_a_file_that_may_not_grow_stops_the_run(path, saved):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(MiplError, match="cannot write"):
            go_on(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == saved
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_place_that_cannot_be_written_is_refused_before_training(tmp_path):
    kind = stopped_at()
    with pytest.raises(MiplError, match="does not exist; create it"):
        go_on(tmp_path / "absent" / "run.checkpoint", kind=kind)
    assert kind.steps == 0


def test_what_a_killed_save_left_is_cleared(path):
    with pytest.raises(PowerCut), keeping.files.atomic_path(path) as temporary:
        left = temporary.with_name(temporary.name.replace(".tmp", "0.tmp"))
        raise PowerCut
    left.write_bytes(b"half")
    go_on(path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("every", [0, -1, 1.5, "2", True])
def test_every_must_be_a_whole_number(every):
    with pytest.raises(MiplError, match="every of Checkpoint must be None or"):
        Checkpoint("a", every)


def test_what_is_no_checkpoint_is_refused():
    with pytest.raises(MiplError, match="must be a Checkpoint or a path; got 3"):
        go_on(3)
