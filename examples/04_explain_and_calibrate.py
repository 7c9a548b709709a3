"""Explain predictions by their instances, and calibrate them.
===========================================================

    python examples/04_explain_and_calibrate.py

Attention says where the model looked, instance scores say what it saw there, and
prediction sets hold the true class as often as promised.
"""

import numpy as np

from mipl import MIPLMA, Training, load_dataset
from mipl.data.instance_classes import positive_instances
from mipl.metrics import expected_calibration_error, instance_auroc

data = load_dataset("digits-mipl")
train, rest = data.split(0)
held, test = rest[::2], rest[1::2]  # bags to calibrate on, bags to judge by

model = MIPLMA(training=Training(epochs=60), random_state=0)
model.fit(train.bags, train.candidates)

# Where did it look? Digits of the bag's class should get the attention.
positive = positive_instances(test)
found = instance_auroc(model.attend(test.bags), test.bags.offsets, positive)
print(f"attention finds the instances of the true class: AUROC {found.value:.3f}")

bag = test.bags[0]
seen = np.argsort(-model.attend(bag))[:3]
print("most attended digits of the first bag:", bag.instance_labels[seen].tolist())

# How sure is it? Calibrated on bags it has not seen, here with their true labels.
columns = test.candidates.encode(test.labels)
before = expected_calibration_error(model.predict_proba(test.bags), columns)
model.calibrate(held.bags, labels=held.labels)
after = expected_calibration_error(model.predict_proba(test.bags), columns)
print(f"calibration error {before:.3f}, calibrated {after:.3f}")

sets = model.predict_set(test.bags, alpha=0.1)
covered = sets[np.arange(len(test)), columns].mean()
print(
    f"sets at alpha 0.1: {sets.sum(axis=1).mean():.2f} classes, {covered:.0%} hold it"
)
