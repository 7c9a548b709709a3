"""From documents to bags, and attention back onto the sentences.
=================================================================

    python examples/08_text_to_bags.py

The documents are what Python's own library says of itself: the descriptions of some
functions of one field together, among general remarks that say nothing of the field. A
crowd of three, who now and then take one field for another, gives the candidates.
"""

import importlib
import inspect

import numpy as np

import mipl
from mipl.data.candidate_generators import generate_candidates
from mipl.text import Sentences

FIELDS = {
    "files": ("pathlib", "shutil", "tempfile", "zipfile", "tarfile", "os.path"),
    "network": ("socket", "http.client", "smtplib", "ftplib", "imaplib"),
    "numbers": ("statistics", "decimal", "fractions", "math", "random"),
}
REMARKS = "It is part of the library. Please read on before you use it."


def descriptions(module):
    """Give what a module's functions, classes and their methods say of themselves."""
    for _, thing in inspect.getmembers(importlib.import_module(module)):
        inside = vars(thing).values() if inspect.isclass(thing) else ()
        for one in (thing, *inside):
            if callable(one) and len((inspect.getdoc(one) or "").split()) > 10:
                yield inspect.getdoc(one)


rng = np.random.default_rng(0)
texts, names = [], []
for field, modules in FIELDS.items():
    found = sorted({text for module in modules for text in descriptions(module)})
    for three in np.array_split(rng.permutation(found), len(found) // 3)[:50]:
        texts.append("\n\n".join([REMARKS, *map(str, three)]))
        names.append(field)
order = rng.permutation(len(texts))
texts, names = [texts[i] for i in order], np.array(names)[order]
candidates, _ = generate_candidates(names, list(FIELDS), "crowd", q=0.2)

test = len(texts) * 3 // 10
# The words are learnt from the documents of the training alone.
cut = Sentences(dimensions=48).fit(texts[test:])
bags = cut.transform(texts)
model = mipl.MIPLMA(training=mipl.Training(epochs=40), random_state=0)
model.fit(bags[test:], candidates[test:])
print(bags, f"of {len(texts)} documents")
print(f"accuracy {model.score(bags[:test], names[:test]):.2f}")

# Places are letters of the text, so attention can be laid back onto it.
bag = bags[[0]]
top = model.attend(bag).argmax()
first, behind = bag.coords[top].astype(int)
print(f"{model.predict(bag)[0]}, most of all because: {texts[0][first:behind]!r}")
