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
    ("mnist-mipl", r, {"training__lr": lr, **constant, "training__epochs": 100})
    for constant in [{"tau": 5.0, "tau_decay": 1.0, "training__schedule": "constant"}]
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
DOUBTS = dict(
    zip(
        [(data, r) for data, r, _ in OF_FASTMIPL],
        (0.01, 0.01, 0.1, 0.01, 0.05, 0.05, 0.2, 0.1, 0.5, 0.05, 0.05, 0.2, 0.1, 0.1),
        strict=True,
    )
)
OF_UAMIPL = [
    (data, r, {**told, "reliability_weight": DOUBTS[data, r], "keep": None})
    for data, r, told in OF_FASTMIPL
]
OF_AGOPMIPL = [
    (
        data,
        r,
        {
            "training__epochs": rounds * epochs,
            "training__rounds": rounds,
            "training__weight_decay": decay,
            "eta": eta,
            "aggregation": aggregation,
            "prototypes": each,
            "training__lr": 0.005,
            "width": 128,
            "lam": 1.0,
            "mode": "raw",
        },
    )
    for data, rounds, epochs, decay, eta, aggregation, each in (
        ("mnist-mipl", 4, 100, 1e-4, 0, "linear", 5),
        ("fmnist-mipl", 4, 100, 1e-4, 0, "linear", 5),
        ("sival-mipl", 3, 80, 1e-3, 0.1, "mean", 25),
        ("birdsong-mipl", 8, 50, 1e-3, 0.1, "mean", 13),
        ("crc-mipl-kmeansseg", 3, 100, 1e-4, 0, "linear", 7),
    )
    for r in (1, 2, 3)
]
OF_HFCMIPL = [
    (
        data,
        r,
        {
            "training__lr": lr,
            "training__epochs": T,
            "width": width,
            "lam": lam,
            "nu": nu,
            "mu": mu,
            "kappa": kappa,
        },
    )
    for data, r, lr, T, width, lam, nu, mu, kappa in (
        ("mnist-mipl", 1, 0.01, 100, 100, 1e-3, 0.84, 0.001, 0.01),
        ("mnist-mipl", 2, 0.05, 100, 133, 1e-3, 0.84, 1.0, 0.1),
        ("mnist-mipl", 3, 0.05, 100, 99, 1e-3, 0.2, 0.2, 0.001),
        ("fmnist-mipl", 3, 0.05, 100, 128, 1e-4, 0.3, 0.01, 0.1),
        ("birdsong-mipl", 1, 0.01, 200, 500, 1e-4, 0.3, 0.3, 0.1),
        ("birdsong-mipl", 2, 0.01, 200, 500, 1e-4, 0.3, 2.0, 0.1),
        ("birdsong-mipl", 3, 0.01, 100, 500, 1e-4, 0.1, 1.6, 0.1),
        ("sival-mipl", 2, 0.05, 200, 128, 1e-3, 10.0, 0.3, 0.1),
        ("sival-mipl", 3, 0.05, 200, 128, 1e-4, 0.7, 2.0, 0.1),
        ("crc-mipl-row", 1, 0.01, 200, 500, 1e-3, 0.3, 1.5, 0.5),
        ("crc-mipl-sbn", 1, 0.01, 200, 500, 1e-4, 0.7, 1.5, 0.5),
    )
]
TABLES = {
    "agopmipl": OF_AGOPMIPL,
    "demipl": OF_DEMIPL,
    "elimipl": OF_ELIMIPL,
    "hfcmipl": OF_HFCMIPL,
    "miplgp": OF_MIPLGP,
    "promipl": OF_PROMIPL,
    "fastmipl": OF_FASTMIPL,
    "uamipl": OF_UAMIPL,
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
        ("fastmipl", "birdsong-mipl", {"scaling"}),
    ]
    for id, data, gaps in open_ones:
        assert set(published(id, data).gaps) == gaps, (id, data)
