"""A first fit: bags of small images, each with two candidate labels.
==================================================================

    python examples/01_first_fit.py

The class of a bag is that of a few of its images; which ones, and which of the two
candidates is true, nobody tells the model.
"""

from mipl import MIPLMA, load_dataset

data = load_dataset("digits-mipl", r=1)  # r false labels beside the true one
train, test = data.split(0)
print(train.bags)
print(train.candidates)

model = MIPLMA(random_state=0)
model.fit(train.bags, train.candidates)  # the true labels are not given

print(f"accuracy on {len(test)} other bags: {model.score(test.bags, test.labels):.3f}")
last = model.history_[-1]
print(f"candidate sets resolved in training: {last['resolved']:.0%}")
said, allowed = model.predict(test.bags[:1])[0], set(next(iter(test.candidates)))
print(f"the first of them: {said}, its candidates: {allowed}")
