"""Peak memory of training a network of one's own on one large bag of pictures.

    python -m benchmarks.fine_tuning [--pictures 500 2000]

Each size is fitted in a process of its own, whole and in pieces of 64 pictures, for two
epochs; ``peak_mib`` is its largest resident memory, of which a process that imports
torch and trains nothing on the same bag has ``idle_mib``. Rows go to
results/fine_tuning.csv.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from time import process_time
from typing import Any

from benchmarks.record import RESULTS, append

FILE = RESULTS / "fine_tuning.csv"
SIDES = (28, 64)
PIECES: tuple[int | None, ...] = (None, 64)
CHANNELS = 16


def measure(
    pictures: int, side: int, pieces: int | None, epochs: int
) -> dict[str, Any]:
    """Fit in this process, or make the bag alone where there are no epochs."""
    import numpy as np  # noqa: PLC0415 - all of it counts
    from torch import nn  # noqa: PLC0415

    from mipl import MIPLMA, Bags, Training  # noqa: PLC0415

    rng = np.random.default_rng(0)
    sizes = [pictures, *[8] * 4]
    rows = rng.random((sum(sizes), 3 * side * side), dtype=np.float32)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    bags = Bags(rows, offsets, instance_shape=(3, side, side))
    network = nn.Sequential(
        *(nn.Conv2d(3, CHANNELS, 3, padding=1), nn.ReLU()),
        *(nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1), nn.ReLU()),
        *(nn.AdaptiveAvgPool2d(4), nn.Flatten()),
    )
    training = Training(epochs=max(1, epochs), batch_size=1, batch_instances=pieces)
    model = MIPLMA(encoder=network, training=training)
    start = process_time()
    if epochs:
        model.fit(bags, [[0, 1], [0], [1], [0, 1], [1]])
    seconds = process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"peak": peak, "seconds": seconds}


def in_a_child(pictures: int, side: int, pieces: int | None, epochs: int) -> Any:
    """Measure in a process of its own."""
    given = json.dumps([pictures, side, pieces, epochs])
    command = [sys.executable, "-m", "benchmarks.fine_tuning", "--child", given]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    """Measure all sizes, or one in a child."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, nargs="+", default=[500, 2000])
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        print(json.dumps(measure(*json.loads(given.child))))
        return
    for side in SIDES:
        for pictures in given.pictures:
            idle = in_a_child(pictures, side, None, 0)["peak"]
            for pieces in PIECES:
                told = in_a_child(pictures, side, pieces, 2)
                row = {
                    "side": side,
                    "pictures": pictures,
                    "batch_instances": pieces or "",
                    "peak_mib": f"{told['peak']:.0f}",
                    "idle_mib": f"{idle:.0f}",
                    "cpu_s": f"{told['seconds']:.1f}",
                }
                append(FILE, row)
                print(row)


if __name__ == "__main__":
    main()
