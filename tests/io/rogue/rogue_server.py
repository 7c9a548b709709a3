"""A server whose tasks misbehave in every way the fence must hold against."""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from mipl.fenced.frames import ARRAY, Frame
from mipl.fenced.server import main
from mipl.fenced.tasks import TASKS


def crash(file, budget):
    yield Frame.of_array("first", np.arange(3))
    os.kill(os.getpid(), signal.SIGSEGV)


def leave(file, budget):
    yield Frame.of_array("first", np.arange(3))
    os._exit(0)


def spin(file, budget):
    while True:
        pass
    yield


def sleep(file, budget):
    time.sleep(600)
    yield


def bloat(file, budget):
    yield Frame.of_array("big", np.ones(1 << 30))


def overclaim(file, budget):
    yield Frame(ARRAY, "huge", (1 << 40,), "f8")


def drip(file, budget):
    for _ in range(1000):
        yield Frame.of_array("more", np.zeros(1000, np.uint8))


def garble(file, budget):
    yield Frame("unheard of", "x", (1,), "f8", np.zeros(1))


def object_type(file, budget):
    yield Frame(ARRAY, "x", (1,), "O8")


def long_header(file, budget):
    yield Frame.of_array("x" * 5000, np.zeros(1))


def stumble(file, budget):
    raise KeyError("a mistake of the parser")
    yield


def litter(file, budget):
    Path(os.environ["LITTER"]).write_text("x" * 100_000)
    yield Frame.of_array("done", np.arange(1))


def open_many(file, budget):
    handles = [os.dup(file) for _ in range(1000)]
    yield Frame.of_array("done", np.array(len(handles)))


def whole(file, budget):
    content = np.frombuffer(os.pread(file, 1 << 20, 0), np.uint8)
    yield Frame.of_array("content", content)


if __name__ == "__main__":
    tasks = [
        crash, leave, spin, sleep, bloat, overclaim, drip, garble, object_type,
        long_header, stumble, litter, open_many, whole,
    ]  # fmt: skip
    TASKS.update({task.__name__: task for task in tasks})
    main(int(sys.argv[1]))
