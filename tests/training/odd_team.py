"""What two processes must refuse, survive or leave alone, started by torchrun."""

import json
import os
import signal
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from tests.training.interrupted import bits
from tests.training.team import PROBLEM
from torch import nn

from mipl import MIPLMA, Checkpoint, MiplError, Training

RANK = int(os.environ.get("RANK", "0"))


def fitted(kind=MIPLMA, checkpoint=None, **arguments):
    training = Training(epochs=3, batch_size=4, dtype="float64")
    model = kind(width=4, **({"training": training} | arguments))
    return model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=checkpoint)


def refused(call):
    try:
        call()
    except MiplError as error:
        return str(error)
    return "not refused"


class UsesInstances(MIPLMA):
    def _loss(self, out, batch, w, clock):
        terms = super()._loss(out, batch, w, clock)
        return terms | {"size": torch.linalg.norm(out.h)}


class Stopped(MIPLMA):
    """Hears a signal in its fifth step, in the second process only."""

    steps = 0

    def _update(self, out, batch, w, clock):
        Stopped.steps += 1
        if Stopped.steps == 5 and RANK == 1:
            signal.raise_signal(signal.SIGINT)
        return super()._update(out, batch, w, clock)


def other_data():
    bags = [bag + RANK for bag in PROBLEM.bags]
    MIPLMA(width=4).fit(bags, PROBLEM.y)


def layer(*layers):
    torch.manual_seed(0)  # The same values in all processes.
    training = Training(epochs=1)
    return fitted(encoder=nn.Sequential(nn.Linear(4, 4), *layers), training=training)


def interrupted(path):
    try:
        fitted(Stopped, path)
    except KeyboardInterrupt:
        return {"steps": Stopped.steps, "saved": Path(path).exists()}
    return "not interrupted"


def failed_save(folder):
    place = Path(folder) / "gone"
    if RANK == 0:
        place.mkdir()
    dist.init_process_group("gloo")
    dist.barrier()

    class Removes(MIPLMA):
        def _update(self, out, batch, w, clock):
            if RANK == 0 and place.exists():
                place.rmdir()
            return super()._update(out, batch, w, clock)

    told = refused(lambda: fitted(Removes, Checkpoint(place / "a", every=1)))
    own = dist.is_initialized()
    dist.destroy_process_group()
    return told, own


def main(folder):
    path = Path(folder) / "run.checkpoint"
    found = {
        "other seeds": refused(lambda: fitted(random_state=RANK)),
        "other data": refused(other_data),
        "batch norm": refused(lambda: layer(nn.BatchNorm1d(4))),
        "dropout": refused(lambda: layer(nn.Dropout(0.3))),
        "instances": refused(lambda: fitted(UsesInstances)),
        "whole": bits(fitted(), PROBLEM.bags).hex(),
    }
    found["interrupted"] = interrupted(path)
    found["resumed"] = bits(fitted(Stopped, path), PROBLEM.bags).hex()
    found["all steps"] = Stopped.steps
    found["left open"] = dist.is_initialized()
    found["failed save"], found["the caller's own"] = failed_save(folder)
    (Path(folder) / f"{RANK}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
