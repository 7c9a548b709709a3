"""A small model and its data."""

import pytest

from mipl import MIPLMA, Training, load_dataset


@pytest.fixture(scope="session")
def data():
    return load_dataset("synthetic", r=2, n_bags=60, overlap=0.3)


@pytest.fixture(scope="session")
def model(data):
    model = MIPLMA(width=8, training=Training(epochs=5), random_state=0)
    return model.fit(data.bags, data.candidates)
