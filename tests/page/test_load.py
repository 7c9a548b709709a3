"""Load: fifty requests a second beside a training, for ten minutes."""

import http.client
import os
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from mipl import load_dataset, write_dataset
from mipl.page.jobs import RUNNING, Jobs
from mipl.page.workspace import Workspace

SECONDS = float(os.environ.get("MIPL_LOAD_SECONDS", "600"))
RATE, SENDERS = 50, 10  # Requests a second, in all.
MINUTE = 60.0  # Seconds, at most, between two looks at memory.
WARM = 20.0  # Seconds after which memory is looked at for the first time.
QUIET = 30.0  # Seconds of training alone before, to which the rest is compared.
MOST_SLOWED = 0.1  # Share of the training's epochs a second.
SLOWEST = 0.2  # Seconds, of 95 in 100 requests.
MOST_GROWTH = 20.0  # MB.


def cookie_of(link: str) -> str:
    parts = urlsplit(link)
    line = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    line.request("GET", f"{parts.path}?{parts.query}")
    answer = line.getresponse()
    answer.read()
    line.close()
    return answer.getheader("set-cookie").partition(";")[0]


def memory(pid: int) -> float:
    """Return the megabytes that a process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


class Sender(threading.Thread):
    """Asks for one address after another, each at its time, however long each takes."""

    def __init__(self, address: str, cookie: str, paths: list[str], first: float):
        super().__init__()
        self.address, self.cookie, self.paths = urlsplit(address), cookie, paths
        self.first = first
        self.taken: list[float] = []
        self.faults: list[str] = []

    def run(self) -> None:
        line = http.client.HTTPConnection(
            self.address.hostname, self.address.port, timeout=60
        )
        begun = time.monotonic() + self.first
        for number in range(int(SECONDS * RATE / SENDERS)):
            due = begun + number * SENDERS / RATE
            time.sleep(max(0.0, due - time.monotonic()))
            start = time.monotonic()
            try:
                path = self.paths[number % len(self.paths)]
                line.request("GET", path, headers={"Cookie": self.cookie})
                answer = line.getresponse()
                answer.read()
                if answer.status != 200:
                    self.faults.append(f"{path}: {answer.status}")
            except (OSError, http.client.HTTPException) as error:
                self.faults.append(repr(error))
                line.close()
            self.taken.append(time.monotonic() - start)
        line.close()


def epochs(jobs: Jobs, id: str) -> float:
    return max(float(one.get("done") or 0) for one in jobs.job(id).figures())


@pytest.mark.slow
def test_fifty_requests_a_second_beside_a_training(serve, tmp_path) -> None:
    work = Workspace(tmp_path / "work")
    path = work.new_dataset("digits")
    write_dataset(load_dataset("digits-mipl"), path)
    data = work.place(path).id
    server = serve(work.folder)
    jobs = Jobs(work)
    settings = {"data": "data/digits.bags.h5", "training": {"epochs": 1_000_000}}
    job = jobs.start("fit", "t", {"settings": settings, "out": "runs/one"})
    try:
        while jobs.job(job.id).state != RUNNING:
            time.sleep(0.1)
        cookie = cookie_of(server.links()[-1])
        # Pages of the store, pictures, and files of the page itself.
        paths = ["/", "/data", f"/data/{data}", f"/data/{data}/bags", "/train"]
        paths += [f"/picture/{data}/thumbnail", f"/picture/{data}/3/sheet/0"]
        paths += ["/assets/page.css"]
        senders = [
            Sender(server.address, cookie, paths[i % 8 :] + paths[: i % 8], i / RATE)
            for i in range(SENDERS)
        ]
        time.sleep(WARM / 2)
        start, alone = time.monotonic(), epochs(jobs, job.id)
        time.sleep(QUIET)
        alone = (epochs(jobs, job.id) - alone) / (time.monotonic() - start)
        start, beside = time.monotonic(), epochs(jobs, job.id)
        for one in senders:
            one.start()
        time.sleep(min(WARM, SECONDS / 2))
        before = memory(server.process.pid)
        each = [before]
        while any(one.is_alive() for one in senders):
            for one in senders:
                one.join(MINUTE / SENDERS)
            each.append(memory(server.process.pid))
        grown = each[-1] - before
        taken = np.concatenate([one.taken for one in senders])
        faults = [fault for one in senders for fault in one.faults]
        beside = (epochs(jobs, job.id) - beside) / (time.monotonic() - start)
        print(
            f"{len(taken)} requests in {SECONDS:.0f} s: median "
            f"{np.median(taken) * 1000:.0f} ms, p95 "
            f"{np.quantile(taken, 0.95) * 1000:.0f} ms, worst {taken.max():.2f} s, "
            f"{len(faults)} faults, memory {before:.0f} + {grown:.0f} MB, "
            f"{alone:.1f} epochs a second alone and {beside:.1f} beside; MB each "
            f"minute: {', '.join(f'{one:.1f}' for one in each)}"
        )
        assert faults == []
        assert jobs.job(job.id).state == RUNNING
        assert np.quantile(taken, 0.95) < SLOWEST
        assert grown < MOST_GROWTH
        assert beside > (1 - MOST_SLOWED) * alone
    finally:
        jobs.cancel(job.id)
        for child in jobs._children.values():
            child.wait(60)
