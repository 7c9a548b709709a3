"""Ctrl-C at any moment ends the program with 130 and without a traceback."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")


# Before its first line runs, Python itself is what is interrupted.
READY = "from mipl.__main__ import main; print('ready', flush=True); main()"


def interrupted(seconds: float, *words: str) -> tuple[int, str]:
    child = subprocess.Popen(
        [sys.executable, "-c", READY, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(seconds)
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGINT)  # As a terminal sends it: to all.
    _, err = child.communicate(timeout=60)
    return child.returncode, err


@pytest.mark.parametrize("seconds", [0.05, 0.2, 0.8, 1.6, 3.2, 6.4])
def test_a_fit(tmp_path, seconds) -> None:
    words = ("fit", "digits-mipl", "--out", str(tmp_path / "r"))
    code, err = interrupted(seconds, *words, "--set", "training.epochs=100000")
    assert "Traceback" not in err and "Exception ignored" not in err, err
    assert code == 130, err
    left = {path.name for path in tmp_path.iterdir()}
    assert all("tmp" not in name for name in left) and "r" not in left


def test_loading_can_be_interrupted(tmp_path) -> None:
    """The handler is there before anything large is imported."""
    program = (
        "import os, signal, sys, types\n"
        "slow = types.ModuleType('mipl.cli.main')\n"
        "class Finder:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'mipl.cli.main':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from mipl.__main__ import main\n"
        "main()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (130, "")


def test_an_ignored_interrupt_stays_ignored() -> None:
    program = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "sys.argv = ['mipl', '--version']\n"
        "from mipl.__main__ import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0 and ran.stdout.startswith("mipl ")
