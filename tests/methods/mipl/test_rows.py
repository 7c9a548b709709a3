"""The rivals' published settings are those that their authors printed."""

import pytest

from mipl import DEMIPL, method
from mipl.methods.catalogue.registry import published

# Data, r, and what papers and READMEs tell of it.
OF_DEMIPL = [
    ("mnist-mipl", 1, {"training__lr": 0.01, "lam": 0.001, "training__epochs": 100}),
    ("mnist-mipl", 2, {"training__lr": 0.01, "lam": 0.001, "training__epochs": 100}),
    ("mnist-mipl", 3, {"training__lr": 0.05, "lam": 0.001, "training__epochs": 100}),
    ("fmnist-mipl", 1, {"training__epochs": 100}),
    ("birdsong-mipl", 2, {"training__epochs": 100}),
    ("sival-mipl", 3, {"training__epochs": 200}),
    ("crc-mipl-row", 1, {"training__epochs": 200}),
    ("crc-mipl-sift", 1, {"training__epochs": 200, "training__lr": 0.01}),
]
OF_ELIMIPL = [
    (data, r, {"training__lr": lr, "gamma": gamma, "mu": mu, "width": width})
    for data, r, lr, gamma, mu, width in (
        ("mnist-mipl", 1, 0.05, 0.1, 1, 128),
        ("mnist-mipl", 2, 0.05, 0.1, 1, 128),
        ("mnist-mipl", 3, 0.05, 0.1, 0.1, 128),
        ("fmnist-mipl", 1, 0.01, 0.5, 1, 128),
        ("fmnist-mipl", 2, 0.01, 0.5, 1, 128),
        ("fmnist-mipl", 3, 0.05, 0.5, 1, 128),
        ("birdsong-mipl", 1, 0.01, 10, 10, 128),
        ("birdsong-mipl", 3, 0.01, 10, 10, 128),
        ("sival-mipl", 1, 0.01, 10, 10, 128),
        ("sival-mipl", 2, 0.01, 10, 10, 128),
        ("sival-mipl", 3, 0.05, 10, 10, 128),
        ("crc-mipl-sbn", 1, 0.01, 10, 10, 512),
    )
]
OF_MIPLGP = [
    (data, 2, {"training__epochs": epochs, "nu": nu, "epsilon": 1e-4, "draws": 512})
    for data, epochs, nu in (
        ("mnist-mipl", 500, 2.5),
        ("fmnist-mipl", 500, 2.5),
        ("newsgroups-mipl", 50, 0.5),
        ("birdsong-mipl", 50, 2.5),
        ("sival-mipl", 50, 2.5),
    )
]
OF_PROMIPL = [
    ("mnist-mipl", r, {"training__lr": lr, "tau": 5.0, "training__epochs": 100})
    for r, lr in ((1, 0.005), (2, 0.005), (3, 0.0085))
]
OF_FASTMIPL = [
    (data, r, {"training__lr": lr, "samples": n, "training__epochs": T, "width": width})
    for data, r, lr, n, T, width in (
        ("mnist-mipl", 1, 5e-4, 40, 200, (256, 128)),
        ("mnist-mipl", 2, 5e-4, 30, 200, (256, 128)),
        ("mnist-mipl", 3, 5e-4, 50, 200, (256, 128)),
        ("fmnist-mipl", 1, 5e-4, 30, 200, (256, 128)),
        ("fmnist-mipl", 2, 5e-4, 40, 200, (256, 128)),
        ("fmnist-mipl", 3, 5e-4, 20, 200, (256, 128)),
        ("birdsong-mipl", 1, 1e-3, 10, 500, (512, 256)),
        ("birdsong-mipl", 2, 2e-3, 20, 500, (512, 256)),
        ("birdsong-mipl", 3, 5e-3, 30, 500, (512, 256)),
        ("sival-mipl", 1, 2e-3, 30, 500, (512, 1024, 256)),
        ("sival-mipl", 2, 5e-3, 20, 500, (512, 1024, 256)),
        ("sival-mipl", 3, 5e-3, 30, 500, (512, 1024, 256)),
        ("crc-mipl-row", 1, 1e-3, 10, 500, (512, 256)),
        ("crc-mipl-sift", 1, 1e-3, 10, 500, (1024, 512, 64)),
    )
]
TABLES = {
    "demipl": OF_DEMIPL,
    "elimipl": OF_ELIMIPL,
    "miplgp": OF_MIPLGP,
    "promipl": OF_PROMIPL,
    "fastmipl": OF_FASTMIPL,
}


@pytest.mark.parametrize("id", TABLES)
def test_the_printed_settings_are_in_the_registry(id):
    for data, r, told in TABLES[id]:
        found, model = published(id, data, r), method(id, published_for=data, r=r)
        for name, value in told.items():
            assert found.settings[name] == value, (data, r, name)
            assert model.get_params()[name] == value, (data, r, name)
        assert not set(told) & set(found.gaps), (data, r)


def test_vectors_have_the_papers_demipl_and_images_the_programs():
    """The program reads images alone; for vectors there are only the equations."""
    paper, released = DEMIPL.paper().get_params(), DEMIPL.released().get_params()
    parts = ["shared_gate", "score_head", "attention_bias", "classifier"]
    parts += ["update_first", "alpha_lag"]
    for data, reading in [
        ("birdsong-mipl", paper),
        ("sival-mipl", paper),
        ("crc-mipl-row", paper),
        ("crc-mipl-sift", paper),
        ("mnist-mipl", released),
        ("fmnist-mipl", released),
    ]:
        model = method("demipl", published_for=data)
        assert {n: getattr(model, n) for n in parts} == {n: reading[n] for n in parts}
        assert published("demipl", data).preset == ("paper" * (reading is paper))
        assert model.encoder == "image"
        assert model.training.nesterov == (reading is released)


def test_what_was_not_printed_is_no_setting_of_the_authors():
    open_ones = [
        ("demipl", "sival-mipl", {"training__lr", "lam", "scaling"}),
        ("demipl", "crc-mipl-sift", {"lam", "scaling"}),
        ("elimipl", "birdsong-mipl", {"scaling"}),
        ("fastmipl", "birdsong-mipl", {"kl_weight", "keep", "scaling"}),
    ]
    for id, data, gaps in open_ones:
        assert set(published(id, data).gaps) == gaps, (id, data)
