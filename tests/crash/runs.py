"""A fit in a process of its own, which may be killed at any moment."""

import hashlib
import multiprocessing
import os
import signal
import time
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


def fit_into(path, settings, result):
    """Fit with a checkpoint after each epoch; write the hash as the last act."""
    result.write_text(fit(Checkpoint(path, every=1), settings))


class Rig:
    """Kills runs of one checkpoint, each at a moment of its own."""

    def __init__(self, folder: Path, settings, seed):
        self.path, self.result = folder / "run.checkpoint", folder / "result"
        self.settings = settings
        self.chance = stream(seed, "kills")
        self.kills = self.while_saving = 0

    def run(self, seconds, aimed):
        """Start or resume the run; kill it after a while, or as it is saving."""
        process = PROCESSES.Process(
            target=fit_into, args=(self.path, self.settings, self.result)
        )
        process.start()
        try:
            if aimed:
                self._wait_for_saving(process, skip=int(self.chance.integers(6)))
            else:
                process.join(seconds * self.chance.random())
            if process.is_alive():
                self.while_saving += bool(self._temporaries())
                os.kill(process.pid, signal.SIGKILL)
                self.kills += 1
        finally:
            process.kill()
            process.join()

    def finish(self):
        """Run to the end; return the hash of what came of it."""
        process = PROCESSES.Process(
            target=fit_into, args=(self.path, self.settings, self.result)
        )
        process.start()
        process.join()
        assert process.exitcode == 0
        assert sorted(f.name for f in self.path.parent.iterdir()) == [
            "result",
            "run.checkpoint",
        ]
        return self.result.read_text()

    def _temporaries(self):
        return list(self.path.parent.glob(".mipl-*"))

    def _wait_for_saving(self, process, skip):
        """Wait until a temporary file appears, for the time after these."""
        seen = None
        end = time.monotonic() + 60
        while process.is_alive() and time.monotonic() < end:
            found = self._temporaries()
            if found and found != seen:
                if skip == 0:
                    return
                seen, skip = found, skip - 1
