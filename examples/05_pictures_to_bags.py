"""From pictures to bags, and attention back onto the pictures.
============================================================

    python examples/05_pictures_to_bags.py

Each picture has a disc somewhere on a noisy ground; its colour is the class, and two
people did not always agree on it. A picture becomes a bag of 16 tiles; the model is
never told where the disc lies.
"""

import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import mipl
from mipl.images import Patches

rng = np.random.default_rng(0)
colours = {"green": (60, 190, 90), "orange": (230, 140, 40), "violet": (130, 70, 190)}
y, x = np.mgrid[:64, :64]


def picture(name):
    """Return a picture of 64 x 64 pixels and the centre of its disc."""
    pixels = rng.integers(90, 170, (64, 64, 3))
    row, column = rng.integers(8, 56, 2)
    pixels[(y - row) ** 2 + (x - column) ** 2 < 36] = colours[name]
    return pixels.astype(np.uint8), (row, column)


names = [str(rng.choice(list(colours))) for _ in range(150)]
candidates = [{name, str(rng.choice(list(colours)))} for name in names]
pictures, centres = zip(*(picture(name) for name in names), strict=True)

with tempfile.TemporaryDirectory() as folder:
    for i, pixels in enumerate(pictures):
        Image.fromarray(pixels).save(Path(folder, f"{i:03d}.png"))
    # Files, folders and arrays alike; the tiles are shrunk to 4 x 4 pixels.
    bags = Patches(grid=4, size=4).transform(folder)
print(bags, "first box", bags.coords[0].tolist(), "of picture", bags.bag_ids[0])

model = mipl.MIPLMA(training=mipl.Training(epochs=60), random_state=0)
model.fit(bags[:100], candidates[:100])
test = bags[100:]
right = np.mean(model.predict(test) == np.array(names[100:]))

# Boxes are in pixels, so attention can be laid back onto the picture.
attention = model.attend(test)
inside = 0
for i, (row, column) in enumerate(centres[100:]):
    mine = slice(test.offsets[i], test.offsets[i + 1])
    x0, y0, x1, y1 = test.coords[mine][attention[mine].argmax()]
    inside += x0 - 6 < column < x1 + 6 and y0 - 6 < row < y1 + 6
share = inside / len(test)
print(f"accuracy {right:.2f}; the most attended tile touches the disc in {share:.0%}")
