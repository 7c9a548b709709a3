from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mipl.seeds import stream


@pytest.fixture
def photos():
    """Six pictures of 40 x 56 pixels with structure and noise."""
    rng = stream(0, "photos")
    ramp = np.linspace(0, 200, 40)[:, None, None] * np.ones((1, 56, 3))
    noise = rng.integers(0, 55, (6, 40, 56, 3))
    return (ramp + noise).astype(np.uint8)


@pytest.fixture
def folder(tmp_path: Path, photos):
    """The same pictures as files, some in a folder below."""
    root = tmp_path / "pictures"
    (root / "more").mkdir(parents=True)
    for i, photo in enumerate(photos):
        below = root / "more" if i > 3 else root
        Image.fromarray(photo).save(below / f"p{i}.png")
    return root
