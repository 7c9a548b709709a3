"""What the catalog knows of each data set, without loading any of them."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from mipl.datasets.published_table import RECORDS, Record

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset

_ACADEMIC = "not stated; academic use"
_MIPL_PAGE = "data sets of palm.seu.edu.cn/zhangml"
_MIL = "Andrews et al., Support vector machines for multiple-instance learning, 2002"


@dataclass(frozen=True)
class Entry:
    """What the catalog knows of a data set.

    ``family`` is ``"mipl"``, ``"mil"`` (true bag labels) or ``"pll"`` (bags of one
    instance); ``builder`` is the import path of the function that builds it.
    """

    name: str
    title: str
    family: str
    builder: str
    licence: str
    source: str

    @property
    def record(self) -> Record | None:
        """The row of the published table, where there is one."""
        return RECORDS.get(self.name)

    def load(self) -> "Callable[..., Dataset]":
        """Import the builder."""
        module, function = self.builder.split(":")
        home = import_module(f"mipl.datasets.{module}")
        return cast("Callable[..., Dataset]", getattr(home, function))

    def options(self) -> list[str]:
        """Return the names of the options that ``load_dataset`` takes for this set."""
        parameters = inspect.signature(self.load()).parameters.values()
        return [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]


CATALOG = {
    row[0]: Entry(*row)
    for row in (
        (
            "digits-mipl",
            "handwritten digits 8 x 8, embedded",
            "mipl",
            "digits:build",
            "CC BY 4.0",
            "UCI, Optical recognition of handwritten digits (Alpaydin, Kaynak 1998), "
            "as shipped with scikit-learn",
        ),
        (
            "synthetic",
            "Gaussian classes with known truth",
            "mipl",
            "synthetic:build",
            "none needed: generated",
            "generated from the seed",
        ),
        (
            "mnist-mipl",
            "MNIST-MIPL, rebuilt by the published recipe",
            "mipl",
            "mnist:build",
            "CC BY-SA 3.0",
            "MNIST (LeCun, Cortes, Burges 1998)",
        ),
        (
            "fmnist-mipl",
            "FMNIST-MIPL, rebuilt by the published recipe",
            "mipl",
            "mnist:build",
            "MIT",
            "Fashion-MNIST (Xiao, Rasul, Vollgraf 2017)",
        ),
        (
            "sival-mipl",
            "SIVAL-MIPL, pictures of 25 objects",
            "mipl",
            "sival:build",
            _ACADEMIC,
            "SIVAL (Rahmani et al. 2005)",
        ),
        (
            "birdsong-mipl",
            "Birdsong-MIPL, rebuilt by the published recipe",
            "mipl",
            "birdsong:build",
            _ACADEMIC,
            "HJA birdsong (Briggs, Fern, Raich 2012)",
        ),
        (
            "crc-mipl",
            "CRC-MIPL from tissue pictures, with simulated annotators",
            "mipl",
            "crc:build",
            _ACADEMIC,
            "colorectal tissue, H&E, 64 x 64 tiles of five classes, or the pictures "
            "that images= names",
        ),
        *(
            (
                f"crc-mipl-{name.lower()}",
                f"CRC-MIPL-{name}, the authors' bags",
                "mipl",
                "crc:published",
                _ACADEMIC,
                f"CRC-MIPL (Tang, Zhang, Zhang 2023); {_MIPL_PAGE}",
            )
            for name in ("Row", "SBN", "KMeansSeg", "SIFT", "R34-16", "R34-25")
        ),
        (
            "lost",
            "faces named from television scripts",
            "pll",
            "own_labels:build",
            _ACADEMIC,
            f"Lost (Cour, Sapp, Taskar 2011); {_MIPL_PAGE}",
        ),
        (
            "birdsong-pll",
            "bird syllables with the labels of their recording",
            "pll",
            "own_labels:build",
            _ACADEMIC,
            f"BirdSong (Briggs, Fern, Raich 2012); {_MIPL_PAGE}",
        ),
        (
            "italian",
            "Italian words with possible parts of speech",
            "pll",
            "own_labels:build",
            _ACADEMIC,
            f"Italian (Johan, Bosco 2006); {_MIPL_PAGE}",
        ),
        (
            "kmnist",
            "Kuzushiji-MNIST, the 10,000 test images",
            "pll",
            "image_vectors:build",
            "CC BY-SA 4.0",
            "Kuzushiji-MNIST (Clanuwat et al. 2018)",
        ),
        (
            "fmnist",
            "Fashion-MNIST, the 60,000 training images",
            "pll",
            "image_vectors:clothes",
            "MIT",
            "Fashion-MNIST (Xiao, Rasul, Vollgraf 2017)",
        ),
        (
            "musk1",
            "molecules that smell of musk, small",
            "mil",
            "own_labels:build",
            "CC BY 4.0",
            "UCI, Musk version 1 (Dietterich et al. 1997)",
        ),
        (
            "musk2",
            "molecules that smell of musk, large",
            "mil",
            "own_labels:build",
            "CC BY 4.0",
            "UCI, Musk version 2 (Dietterich et al. 1997)",
        ),
        (
            "elephant",
            "pictures with and without elephants",
            "mil",
            "own_labels:build",
            _ACADEMIC,
            _MIL,
        ),
        (
            "fox",
            "pictures with and without foxes",
            "mil",
            "own_labels:build",
            _ACADEMIC,
            _MIL,
        ),
        (
            "tiger",
            "pictures with and without tigers",
            "mil",
            "own_labels:build",
            _ACADEMIC,
            _MIL,
        ),
        (
            "ucsb",
            "breast tissue, benign or malignant",
            "mil",
            "own_labels:build",
            _ACADEMIC,
            "UCSB bio-segmentation benchmark (Gelasca et al. 2008)",
        ),
        (
            "corel20",
            "Corel pictures of 20 kinds",
            "mil",
            "own_labels:build",
            _ACADEMIC,
            "Corel-2000 (Chen, Wang 2004)",
        ),
    )
}
