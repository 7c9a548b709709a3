"""One piece of an attack, in a process of its own."""

import multiprocessing
import resource
import tempfile
from collections import Counter
from pathlib import Path

# A server that has loaded everything once and forks: a new process takes no time.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.attacks.campaign.mutants", "tests.crash.runs"])
SECONDS, MEMORY = 300, 8 << 30


def in_child(piece, arguments, connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        name, seed, count = arguments
        connection.send(dict(piece(name, seed, Path(folder), count)))


def outcome(piece: object, name: str, seed: int, count: int) -> Counter:
    """Run one piece; a crash and a hang are outcomes, too."""
    ours, theirs = PROCESSES.Pipe(duplex=False)
    child = PROCESSES.Process(
        target=in_child, args=(piece, (name, seed, count), theirs)
    )
    child.start()
    theirs.close()
    try:
        if not ours.poll(SECONDS):
            return Counter({f"HANG in {name}, seed {seed}": 1})
        return Counter(ours.recv())
    except EOFError:
        child.join()
        return Counter({f"CRASH in {name}, seed {seed}: exit {child.exitcode}": 1})
    finally:
        child.kill()
        child.join()
