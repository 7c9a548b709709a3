"""Your own bags: a list of arrays, class names as text, candidate sets as sets.
=============================================================================

    python examples/02_own_bags.py

Three tree species, measured leaf by leaf: a bag is a tree, an instance a leaf, and two
botanists did not always agree on the species.
"""

import tempfile
from pathlib import Path

import numpy as np

import mipl

rng = np.random.default_rng(0)
centres = {"ash": (2.0, 0.0), "elm": (0.0, 2.0), "oak": (-2.0, -2.0)}

bags, candidates, species = [], [], []
for _ in range(90):
    name = str(rng.choice(list(centres)))
    leaves = rng.normal(centres[name], 1.0, size=(rng.integers(3, 8), 2))
    other = str(rng.choice(list(centres)))  # the second botanist's vote
    bags.append(leaves)
    candidates.append({name, other})
    species.append(name)

model = mipl.MIPLMA(training=mipl.Training(epochs=30), random_state=0)
model.fit(bags[:60], candidates[:60])

new = bags[60:]
right = np.mean(model.predict(new) == np.array(species[60:]))
print(f"classes {model.classes_.tolist()}, accuracy {right:.2f} on {len(new)} trees")

# Keep the trees for later, with everything that is known about them, and the model.
data = mipl.Dataset(bags, candidates, labels=species, name="trees")
with tempfile.TemporaryDirectory() as folder:
    mipl.write_dataset(data, Path(folder, "trees.bags.h5"))
    model.save(Path(folder, "model"))
    again = mipl.load_model(Path(folder, "model"))
    trees = mipl.read_dataset(Path(folder, "trees.bags.h5"))
    same = (again.predict(trees.bags[60:]) == model.predict(new)).all()
    print("the saved model says the same:", bool(same))
