"""Signals that ask to stop: held back, handed on, and nothing left behind."""

import signal
import subprocess
import sys
import threading

import pytest

from mipl.training.interrupts import Interrupts

BOTH = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture
def interrupts():
    before = [signal.getsignal(number) for number in BOTH]
    yield Interrupts()
    assert [signal.getsignal(number) for number in BOTH] == before


@pytest.fixture
def heard():
    """Handlers of the caller's own, which take notes and return."""
    notes = []
    before = [signal.signal(n, lambda n, _: notes.append(n)) for n in BOTH]
    yield notes
    for number, handler in zip(BOTH, before, strict=True):
        signal.signal(number, handler)


def test_a_signal_waits_for_deliver(interrupts):
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts.held_back():
        assert not interrupts.asked
        signal.raise_signal(signal.SIGINT)
        done.append("step")
        assert interrupts.asked
        interrupts.deliver()
        done.append("never")
    assert done == ["step"] and not interrupts.asked


def test_without_a_signal_nothing_is_delivered(interrupts):
    with interrupts.held_back():
        interrupts.deliver()


def test_a_second_signal_is_obeyed_at_once(interrupts):
    with pytest.raises(KeyboardInterrupt), interrupts.held_back():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the second signal waited")


def test_a_signal_that_nobody_delivered_comes_at_the_end(interrupts):
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts.held_back():
        signal.raise_signal(signal.SIGINT)
        done.append("all")
    assert done == ["all"]


@pytest.mark.parametrize("number", BOTH)
def test_a_handler_of_the_callers_gets_the_signal_and_training_goes_on(heard, number):
    interrupts = Interrupts()
    with interrupts.held_back():
        for turn in (1, 2):
            signal.raise_signal(number)
            assert interrupts.asked and len(heard) == turn - 1
            interrupts.deliver()
            assert heard == [number] * turn and not interrupts.asked
    signal.raise_signal(number)
    assert heard == [number] * 3


def test_a_handler_that_returns_gets_the_second_signal_too(heard):
    interrupts = Interrupts()
    with interrupts.held_back():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        assert heard == [], "torchrun may send both"
        signal.raise_signal(signal.SIGTERM)
        assert heard == [signal.SIGTERM]
    assert heard == [signal.SIGTERM] * 2


def test_an_ignored_signal_stays_ignored(interrupts):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts.held_back():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            signal.raise_signal(signal.SIGINT)
            assert not interrupts.asked
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_handlers_go_back_after_an_error(interrupts):
    with pytest.raises(ZeroDivisionError), interrupts.held_back():
        signal.raise_signal(signal.SIGINT)
        raise ZeroDivisionError  # It tells more than the Ctrl-C that came before it.


def test_another_thread_changes_nothing(interrupts):
    seen = []

    def work():
        with interrupts.held_back():
            seen.extend(signal.getsignal(number) for number in BOTH)

    before = [signal.getsignal(number) for number in BOTH]
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == before


def test_a_termination_ends_the_process_as_it_would_have(tmp_path):
    code = (
        "import signal\n"
        "from mipl.training.interrupts import Interrupts\n"
        "held = Interrupts()\n"
        "with held.held_back():\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
        "    print('saved', flush=True)\n"
        "    held.deliver()\n"
        "    print('never')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (-signal.SIGTERM, "saved\n")
