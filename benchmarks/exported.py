"""What an exported model says, how large it is and how long it takes.

``python -m benchmarks.exported digits-mipl birdsong-mipl`` fits some methods on a split
and compares the accuracy of the model, of its ONNX file and of that in 8 bits on the
test bags, with the largest difference of a probability.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime

import mipl

METHODS = ("miplma", "miplma-paper", "elimipl", "demipl", "abmil", "proden")


def predicted(path: Path, bags: mipl.Bags) -> np.ndarray:
    """Return the probabilities that a file gives."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        path, options, providers=["CPUExecutionProvider"]
    )
    given = {"instances": bags.instances, "offsets": bags.offsets}
    (p,) = session.run(["probabilities"], given)
    return np.asarray(p)


def compare(name: str, method: str, splits: int, r: int) -> dict[str, float]:
    """Return the means over splits of what files and models say of test bags."""
    rows = []
    for split in range(splits):
        data = mipl.load_dataset(name, r=r)
        train, test = data.split(split)
        more = {"reduction": "mean"} if method == "proden" else {}
        model = mipl.method(method, **more)
        model.fit(train.bags, train.candidates)
        start = time.perf_counter()
        p = model.predict_proba(test.bags)
        row = {
            "model": accuracy(model, p, test),
            "s model": time.perf_counter() - start,
        }
        with tempfile.TemporaryDirectory() as folder:
            for kind, int8 in (("onnx", False), ("int8", True)):
                done = mipl.export_onnx(model, Path(folder) / "m.onnx", int8=int8)
                start = time.perf_counter()
                q = predicted(done.path, test.bags)
                row[f"s {kind}"] = time.perf_counter() - start
                row[kind] = accuracy(model, q, test)
                row[f"off {kind}"] = float(np.abs(p - q).max())
                row[f"kB {kind}"] = done.n_bytes / 1000
        rows.append(row)
    worst = {key: max(row[key] for row in rows) for key in rows[0]}
    return {
        key: worst[key]
        if key.startswith("off")
        else float(np.mean([r[key] for r in rows]))
        for key in rows[0]
    }


def accuracy(model: object, p: np.ndarray, test: mipl.Dataset) -> float:
    """Return the share of test bags whose true class is the likeliest."""
    return float((model.classes_[p.argmax(axis=1)] == test.labels).mean())  # type: ignore[attr-defined]


def main() -> None:
    """Print a row per data set and method."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="+")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--r", type=int, default=1)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    given = parser.parse_args()
    print(
        "| data | method | model | ONNX | int8 | differ | int8 differ | kB | int8 kB |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name in given.data:
        for method in given.methods:
            row = compare(name, method, given.splits, given.r)
            cells = [f"{row[key]:.4f}" for key in ("model", "onnx", "int8")]
            cells += [f"{row['off onnx']:.0e}", f"{row['off int8']:.4f}"]
            cells += [f"{row['kB onnx']:.0f}", f"{row['kB int8']:.0f}"]
            print(f"| {name} | {method} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
