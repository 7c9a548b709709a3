"""Entrants: which run stands for a cell of the paper's tables."""

import pytest

from mipl.datasets.published_sets import BENCHMARKS, DIGITS, FMNIST, MNIST, SIVAL
from mipl.paper.artefact_selection import Selection
from mipl.paper.entrants import (
    ATTEN,
    ATTEN_GATE,
    CDL,
    DEMIPL,
    LOSS_ATTEN,
    MAAM,
    MIL,
)


def run(entrant, source, r=1, **chosen):
    return entrant.run(source, r, 0, Selection(**chosen))


@pytest.mark.parametrize("entrant", [ATTEN, ATTEN_GATE, LOSS_ATTEN])
@pytest.mark.parametrize("source", [MNIST, FMNIST])
def test_on_images_attention_has_its_authors_settings(entrant, source):
    assert run(entrant, source).arguments == {"published": True}
    assert run(entrant, source, r=0).build().width == 500


@pytest.mark.parametrize("entrant", [ATTEN, ATTEN_GATE, LOSS_ATTEN])
def test_elsewhere_it_has_its_own(entrant):
    assert run(entrant, SIVAL).arguments == {}
    assert run(entrant, SIVAL).build().width == 128
    assert run(entrant, SIVAL, epochs=3).arguments == {"training__epochs": 3}


@pytest.mark.parametrize("source", BENCHMARKS)
@pytest.mark.parametrize("entrant", MIL)
def test_every_run_of_the_multi_instance_table_can_be_built(entrant, source):
    run(entrant, source).build()


def test_published_settings_count_where_there_are_some():
    assert run(DEMIPL, SIVAL).arguments == {"published": True}
    assert run(MAAM, MNIST, r=0).arguments == {"published": True}
    assert run(MAAM, MNIST, r=1).arguments == {}
    assert run(DEMIPL, DIGITS).arguments == {}
    forms = [run(one, DIGITS).arguments for one in CDL[:2]]
    assert forms == [{}, {"attention": "mam", "contrast": "cc"}]
