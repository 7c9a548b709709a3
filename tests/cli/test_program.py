"""``mipl`` as a program: its exit codes, and who hears an interrupt."""

import signal

import pytest

from mipl import __main__ as program
from mipl.cli import main as command_line


@pytest.fixture(autouse=True)
def heeded():
    """Interrupts are heeded, as in a terminal; afterwards as they were."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_command_hears_interrupts_and_nothing_before_and_after_it(monkeypatch):
    heard = []
    monkeypatch.setattr(
        command_line, "main", lambda: heard.append(signal.getsignal(signal.SIGINT))
    )
    program.main()
    assert heard == [signal.default_int_handler]
    assert signal.getsignal(signal.SIGINT) is program._end


def test_an_interrupt_in_a_command_is_130(monkeypatch):
    def interrupted():
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(command_line, "main", interrupted)
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 130


def test_who_asked_for_interrupts_to_be_ignored_is_obeyed(monkeypatch):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    monkeypatch.setattr("sys.argv", ["mipl", "methods", "nosuch"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 2
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
