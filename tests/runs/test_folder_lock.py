"""Nobody's run is lost: one writer at a time, and no replacing by accident."""

import errno
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

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


@pytest.mark.parametrize("how", ["no fcntl", "no locks"])
def test_where_the_system_knows_no_locks_the_file_tells(
    tmp_path, monkeypatch, how
) -> None:
    if how == "no fcntl":
        monkeypatch.setitem(sys.modules, "fcntl", None)
    else:
        error = OSError(errno.ENOLCK, "no locks available")
        monkeypatch.setattr("fcntl.flock", Mock(side_effect=error))
    path, here = tmp_path / ".run.lock", socket.gethostname()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for who in (f"{os.getppid()} on {here}", "7 on another-machine"):
        path.write_text(f"process {who} since 2026-01-01 10:00")
        with (
            pytest.raises(MiplError, match=rf"by process {who}.* remove .*\.run\.lock"),
            writing_alone(tmp_path / "run"),
        ):
            pass
        assert path.exists()
    for left in (f"process {gone.pid} on {here} since 2026-01-01 10:00", "", "x"):
        path.write_text(left)
        with writing_alone(tmp_path / "run"):
            assert f"process {os.getpid()} on {here}" in path.read_text()
            with pytest.raises(MiplError), writing_alone(tmp_path / "run"):
                pass
        assert not path.exists()


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
