"""A fit in a process of its own, which may be killed at any moment."""

import hashlib
import multiprocessing
import os
import signal
import sys
from pathlib import Path

from tests.training.interrupted import bits

from mipl import MIPLMA, Checkpoint, Training
from mipl.seeds import stream
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem(n_bags=24)
# A server that has loaded everything once and forks: a new process takes no time.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])


def fit(checkpoint, settings):
    """Fit to the end; return the hash of all that was learnt and recorded."""
    arguments = {name: v for name, v in settings.items() if name != "training"}
    training = Training(
        **{"epochs": 20, "batch_size": 4, "lr": 0.2} | settings["training"]
    )
    model = MIPLMA(width=8, training=training, **arguments)
    model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=checkpoint)
    return hashlib.sha256(bits(model, PROBLEM.bags)).hexdigest()


def fit_into(path, settings, result, death=None):
    """Fit with a checkpoint after each epoch; write the hash as the last act."""
    if death is not None:
        sys.addaudithook(death)
    result.write_text(fit(Checkpoint(path, every=1), settings))


class Death:
    """Kills its own process: when it saves for the n-th time, or a while after that.

    Moments are counted in saves, not seconds, so that a busy machine kills as often as
    a free one. The first event of a save is the opening of a temporary file, the last
    that file's renaming.
    """

    def __init__(self, saves, event, delay):
        self.saves, self.event, self.delay = saves, event, delay

    def __call__(self, event, arguments):
        """See an event of the interpreter."""
        if event == self.event and ".mipl-" in str(arguments[0]):
            self.saves -= 1
            if self.saves == 0 and self.delay == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            elif self.saves == 0:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)  # It ends the process.
                signal.setitimer(signal.ITIMER_REAL, self.delay)


class Rig:
    """Kills runs of one checkpoint, each at a moment of its own."""

    def __init__(self, folder: Path, settings, seed):
        self.path, self.result = folder / "run.checkpoint", folder / "result"
        self.settings = settings
        self.chance = stream(seed, "kills")
        self.kills = self.while_saving = 0

    def run(self, seconds, aimed):
        """Start or resume the run; kill it as it saves, or up to so long after it."""
        saves = 1 + int(self.chance.integers(6))
        event = ("open", "os.rename")[int(self.chance.integers(2))]
        delay = 0.0 if aimed else 1e-4 + seconds * self.chance.random()
        if self._ended(Death(saves, event, delay)) in (
            -signal.SIGKILL,
            -signal.SIGALRM,
        ):
            self.kills += 1
            self.while_saving += bool(list(self.path.parent.glob(".mipl-*")))

    def finish(self):
        """Run to the end; return the hash of what came of it."""
        assert self._ended() == 0
        assert sorted(f.name for f in self.path.parent.iterdir()) == [
            "result",
            "run.checkpoint",
        ]
        return self.result.read_text()

    def _ended(self, death=None):
        """Let the run go on in a process of its own; return how that ended."""
        process = PROCESSES.Process(
            target=fit_into, args=(self.path, self.settings, self.result, death)
        )
        process.start()
        try:
            process.join(60)
            return process.exitcode
        finally:
            process.kill()
            process.join()
