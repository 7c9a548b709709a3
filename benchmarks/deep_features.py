"""Patches per second through the backbones, in torch and in ONNX.

    python -m benchmarks.deep_features FOLDER TILES.npz [--pictures 8] [--threads 2]

FOLDER holds what scripts/efficientnet_lite0.py wrote. Tissue of 64 x 64 pixels
(array ``images`` of colorectal5_64px.npz) is cut into 16 patches each. ResNet-34
has random values, which take as long as any. Rows go to results/deep_features.csv;
``per_cpu_second`` counts the processor's time, which other work on the machine
does not lengthen.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.record import RESULTS, append
from mipl.images import DeepPatches
from mipl.nn.initialisation import initialise
from mipl.nn.resnet import ResNet34

FILE = RESULTS / "deep_features.csv"
PATCHES, PLANNED = 16, 3000


def backbones(folder: Path) -> dict[str, DeepPatches]:
    resnet = ResNet34()
    initialise(resnet, 0)
    weights = folder / "efficientnet-lite0.safetensors"
    return {
        "efficientnet-lite0, onnx": DeepPatches(folder / "efficientnet-lite0.onnx"),
        "efficientnet-lite0, torch": DeepPatches("efficientnet-lite0", weights),
        "resnet34, torch": DeepPatches(resnet),
    }


def measure(deep: DeepPatches, pictures: Any) -> dict[str, Any]:
    deep.transform(pictures[:1])  # Memory is taken.
    wall, cpu = time.perf_counter(), time.process_time()
    bags = deep.transform(pictures)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    n = len(bags.instances)
    return {
        "patches": n,
        "per_second": f"{n / wall:.1f}",
        "per_cpu_second": f"{n / cpu:.1f}",
        "cpu_minutes_of_3000_pictures": f"{PLANNED * PATCHES * cpu / n / 60:.1f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("tiles", type=Path)
    parser.add_argument("--pictures", type=int, default=8)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    given = parser.parse_args()
    pictures = np.load(given.tiles)["images"]
    FILE.unlink(missing_ok=True)
    for threads in given.threads:
        torch.set_num_threads(threads)
        for name, deep in backbones(given.folder).items():
            found = measure(deep, pictures[: given.pictures])
            row = {"backbone": name, "threads": threads, **found}
            append(FILE, row)
            print(*row.values(), sep="  ", flush=True)


if __name__ == "__main__":
    main()
