"""Folders of features as the toolkits of slides document that they write them."""

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from mipl.seeds import stream

SLIDES = tuple(f"slide_{i:02}" for i in range(12))
CLASSES = ("grade1", "grade2", "grade3")


def tiles(i: int, d: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Features whose mean shows the class, and corners on a grid of 512 pixels."""
    rng = stream(i, "slides")
    n = 5 + i
    features = rng.normal(size=(n, d)) + 3 * (np.arange(d) == i % 3)
    corners = np.stack([np.arange(n) % 4, np.arange(n) // 4], axis=1) * 512
    return features.astype(np.float16), corners + 1024


def h5(path: Path, arrays: dict[str, Any], attributes: dict[str, Any] | None = None):
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        for name, array in arrays.items():
            file[name] = array
        for name, value in (attributes or {}).items():
            owner, _, key = name.rpartition("/")
            file[owner or "/"].attrs[key] = value


def table(path: Path, header: str, rows: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def clam(root: Path) -> Path:
    """CLAM: h5_files and pt_files, and a table of case_id, slide_id, label."""
    for i, name in enumerate(SLIDES):
        features, corners = tiles(i)
        arrays = {"features": features.astype(np.float32), "coords": corners}
        h5(root / "features" / "h5_files" / f"{name}.h5", arrays)
        pickled = root / "features" / "pt_files" / f"{name}.pt"
        pickled.parent.mkdir(exist_ok=True)
        pickled.write_bytes(b"PK\x03\x04 a pickled tensor")
    rows = [f"case_{i // 2},{name},{CLASSES[i % 3]}" for i, name in enumerate(SLIDES)]
    return table(root / "dataset_csv" / "grades.csv", "case_id,slide_id,label", rows)


def trident(root: Path) -> Path:
    """TRIDENT: a job with coordinates and features of one encoder below it."""
    job = root / "out" / "20x_256px_0px_overlap"
    beside = {
        "coords/patch_size": 256,
        "coords/patch_size_level0": 512,
        "coords/level0_magnification": 40,
        "coords/target_magnification": 20,
        "coords/level0_width": 4096,
        "coords/level0_height": 6144,
        "coords/overlap": 0,
    }
    for i, name in enumerate(SLIDES):
        features, corners = tiles(i)
        arrays = {"features": features, "coords": corners}
        h5(job / "features_uni_v1" / f"{name}.h5", arrays, beside)
        h5(job / "patches" / f"{name}_patches.h5", {"coords": corners}, beside)
    rows = [f"{name}.svs,{CLASSES[i % 3]}" for i, name in enumerate(SLIDES)]
    return table(root / "labels.csv", "slide_id,label", rows)


def stamp(root: Path) -> tuple[Path, Path]:
    """STAMP: feats in microns with attributes, a clini table and a slide table."""
    beside = {
        "extractor": "ctranspath",
        "unit": "um",
        "tile_size_um": 256.0,
        "tile_size_px": 224,
        "stamp_version": "2.1.0",
    }
    for i, name in enumerate(SLIDES):
        features, corners = tiles(i)
        arrays = {"feats": features, "coords": corners / 2.0}
        h5(root / "ctranspath-7c9986" / f"{name}.h5", arrays, beside)
        (root / "ctranspath-7c9986" / f"{name}.jpg").write_bytes(b"a thumbnail")
    slides = [f"P{i // 2},{name}.h5" for i, name in enumerate(SLIDES)]
    patients = [f"P{i},{50 + i},{CLASSES[i % 3]}" for i in range(6)]
    return (
        table(root / "clini.csv", "PATIENT,AGE,GRADE", patients),
        table(root / "slide.csv", "PATIENT,FILENAME", slides),
    )


def torchmil(root: Path) -> Path:
    """Folders features/features_name, labels, coords and patch_labels of .npy files."""
    for i, name in enumerate(SLIDES):
        features, corners = tiles(i)
        for place, array in (
            ("features/features_UNI", features.astype(np.float32)),
            ("labels", np.array([i % 3])),
            ("coords", corners // 512),
            ("patch_labels", (np.arange(len(features)) % 3 == i % 3)[:, None] * 1),
        ):
            (root / place).mkdir(parents=True, exist_ok=True)
            np.save(root / place / f"{name}.npy", array)
    return root


def as_xlsx(path: Path) -> Path:
    """The same table as Excel saves it."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in path.read_text().splitlines():
        cells = line.split(",")
        book.active.append([int(c) if c.isdecimal() else c for c in cells])
    book.create_sheet("Sheet2")
    book.save(path.with_suffix(".xlsx"))
    return path.with_suffix(".xlsx")
