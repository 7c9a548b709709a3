"""Nobody's run is lost: one writer at a time, and no replacing by accident."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mipl import MiplError, Run
from mipl.runs.folder_lock import writing_alone

RUN = Run("miplma", "synthetic", {"training__epochs": 1}, {"n_bags": 20})
HOLD = """
import sys, time
from mipl.runs.folder_lock import writing_alone
with writing_alone(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock of ``run``."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "run")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_writer_is_told_who_holds_it_before_any_work(tmp_path, holder) -> None:
    told = f"is being written by process {holder.pid} on .*; wait"
    with pytest.raises(MiplError, match=told):
        RUN.execute(tmp_path / "run", force=True)
    assert not (tmp_path / "run").exists()
    RUN.execute(tmp_path / "other")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_lock_of_a_killed_process_holds_nobody_up(tmp_path, holder, how) -> None:
    os.kill(holder.pid, how)
    holder.wait()
    assert (tmp_path / ".run.lock").exists()  # It could not tidy up.
    RUN.execute(tmp_path / "run")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_a_lock_ends_with_its_block_also_by_an_error(tmp_path) -> None:
    with pytest.raises(ZeroDivisionError), writing_alone(tmp_path / "run"):
        raise ZeroDivisionError
    with writing_alone(tmp_path / "run"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_replaced_by_force_only(tmp_path) -> None:
    folder = tmp_path / "run"
    RUN.execute(folder)
    before = (folder / "run.toml").read_bytes()
    with pytest.raises(
        MiplError, match="holds a run; give another folder, or force=True"
    ):
        Run("demipl", "synthetic", {"training__epochs": 1}).execute(folder)
    assert (folder / "run.toml").read_bytes() == before
    Run("demipl", "synthetic", {"training__epochs": 1}).execute(folder, force=True)
    assert "demipl" in Path(folder / "run.toml").read_text()
