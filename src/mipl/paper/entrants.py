"""The methods of the paper's evaluation, as its tables name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mipl.datasets.published_sets import PublishedSet
from mipl.errors import unknown
from mipl.methods.catalogue.registry import find, has_published
from mipl.paper.artefact_selection import Selection
from mipl.paper.published import PublishedAccuracy, published
from mipl.runs.run import Facts, Run


@dataclass(frozen=True)
class Entrant:
    """A method with the arguments it is run with.

    Attributes
    ----------
    method : str
        Registry id.
    title : str
        Of its row.
    variant : str
        As in the published figures: backbone and reduction, or the form of CDL.
    arguments : mapping
        Of the run; ``published`` counts on data for which settings were published.
    name : str
        Id under which figures were published, where it is another one.
    epochs : bool
        Whether it trains in epochs, whose number a selection may cut.
    joined : bool
        Whether it is not the table's own, but was asked for.
    """

    method: str
    title: str
    variant: str = ""
    arguments: Mapping[str, Any] = field(default_factory=Facts)
    name: str = ""
    epochs: bool = True
    joined: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", Facts(self.arguments))

    def run(
        self, source: PublishedSet, r: int | None, split: int, selection: Selection
    ) -> Run:
        """Return the run on one split; ``selection`` may cut the epochs."""
        r = 1 if r is None else r
        arguments = dict(self.arguments)
        if not has_published(self.method, source.name, r):
            arguments.pop("published", None)  # Then its own settings.
        if selection.epochs is not None and self.epochs:
            arguments["training__epochs"] = selection.epochs
        return Run(self.method, source.name, arguments, source.options, r, split)

    def published(
        self, source: PublishedSet, r: int | None
    ) -> PublishedAccuracy | None:
        """Return what was published for it."""
        return published(self.name or self.method, self.variant, source.id, r)

    def with_arguments(self, title: str, **arguments: Any) -> Entrant:
        """Return it under another title with more arguments; nothing was published."""
        return replace(
            self,
            title=title,
            variant=title,
            arguments={**self.arguments, **arguments},
        )


_PUBLISHED = {"published": True}


def _rival(method: str, title: str) -> Entrant:
    return Entrant(method, title, arguments=_PUBLISHED)


OURS = Entrant("miplma", "MIPLMA (ours)")
RELEASED = Entrant("miplma-released", "MIPLMA (released)", "", _PUBLISHED, "miplma")
PAPER = Entrant("miplma-paper", "MIPLMA (paper)", "", _PUBLISHED, "miplma")
PRESETS = {"ours": OURS, "released": RELEASED, "paper": PAPER}
ELIMIPL = _rival("elimipl", "ELIMIPL")
DEMIPL = _rival("demipl", "DEMIPL")
MIPLGP = _rival("miplgp", "MIPLGP")
RIVALS = (ELIMIPL, DEMIPL, MIPLGP)
PROMIPL = _rival("promipl", "ProMIPL")
AGOPMIPL = _rival("agopmipl", "AGOPMIPL")
HFCMIPL = _rival("hfcmipl", "HFC-MIPL")
FASTMIPL = Entrant("fastmipl", "FastMIPL", "each bag alone", _PUBLISHED)
FASTMIPL_GIVEN = Entrant(
    "fastmipl-released", "FastMIPL (transductive)", "", _PUBLISHED, "fastmipl"
)


def _cdl(attention: str, contrast: str) -> Entrant:
    """Return a form of CDL; the one that its defaults are says nothing again."""
    given = {"attention": attention, "contrast": contrast}
    told = {} if (attention, contrast) == ("mam", "cn") else given
    form = f"{attention}-{contrast}"
    return Entrant("cdl", f"CDL ({form.upper()})", form, {**_PUBLISHED, **told})


CDL = tuple(_cdl(a, c) for a in ("mam", "sam", "dam") for c in ("cn", "cc"))
LATER = (PROMIPL, FASTMIPL, CDL[0])

MAINS = _rival("miplma-mains", "MIPL-MaIns")
MALAB = _rival("miplma-malab", "MIPL-MaLab")
WOMA = _rival("miplma-woma", "MIPL-WoMa")
MAMM = _rival("miplma-mamm", "MIPL-MaMm")
VARIANTS = (MAINS, MALAB, WOMA)

VWSGP = Entrant("vwsgp", "VWSGP", epochs=False)
VGPMIL = Entrant("vgpmil", "VGPMIL", epochs=False)
LM_VGPMIL = Entrant("lm-vgpmil", "LM-VGPMIL", epochs=False)
MIVAE = Entrant("mivae", "MIVAE")
# Settings were published for images; the MIPL papers tell of none for other features.
ATTEN = _rival("abmil", "ATTEN")
ATTEN_GATE = _rival("abmil-gated", "ATTEN-GATE")
LOSS_ATTEN = _rival("loss-attention", "LOSS-ATTEN")
MIL = (VWSGP, VGPMIL, LM_VGPMIL, MIVAE, ATTEN, ATTEN_GATE, LOSS_ATTEN)
MAAM = _rival("maam", "MaAm")

REDUCTIONS = {"mean": "Mean", "maxmin": "MaxMin"}
_NETWORKS = {
    "proden": "PRODEN",
    "rc": "RC",
    "lws": "LWS",
    "cavl": "CAVL",
    "pop": "POP",
}


def degraded(method: str, title: str, backbone: str = "") -> tuple[Entrant, ...]:
    """Return a partial-label method on means, and on maxima and minima.

    Examples
    --------
    >>> [one.title for one in degraded("proden", "PRODEN", "mlp")]
    ['PRODEN (MLP, Mean)', 'PRODEN (MLP, MaxMin)']
    """
    given = {"backbone": backbone} if backbone else {}
    said = f"{backbone.upper()}, " if backbone == "mlp" else ""
    return tuple(
        Entrant(
            method,
            f"{title} ({said}{name})",
            f"{backbone} {reduction}".strip(),
            {**given, "reduction": reduction},
            epochs=bool(backbone),
        )
        for reduction, name in REDUCTIONS.items()
    )


def _all(backbone: str) -> tuple[Entrant, ...]:
    return tuple(
        entrant
        for method, title in _NETWORKS.items()
        for entrant in degraded(method, title, backbone)
    )


LINEAR = (*_all("linear"), *degraded("pl-aggd", "PL-AGGD"))
MLP = _all("mlp")
MARGIN = (*degraded("m3pl", "M3PL"), *degraded("pl-svm", "PL-SVM"))
PRODEN_MLP = Entrant("proden", "PRODEN", "mlp", _PUBLISHED)
PRODEN_MA = Entrant("proden-ma", "PRODEN-MA", "mlp", _PUBLISHED)
PLL = (*LINEAR, *MLP, *MARGIN)  # 26 columns.


def joining(selection: Selection, own: Iterable[Entrant]) -> tuple[Entrant, ...]:
    """Return the methods asked for that a table does not have itself.

    Examples
    --------
    >>> [one.title for one in joining(Selection(methods=("cdl", "miplma")), (OURS,))]
    ['CDL']
    """
    ids = {one.method for one in own}
    rows = [find(id) for id in selection.methods or () if id not in ids]
    return tuple(
        Entrant(
            row.id,
            row.title,
            arguments=_PUBLISHED
            | ({"reduction": "mean"} if row.family == "pll" else {}),
            epochs="training__epochs" in row.parameters(),
            joined=True,
        )
        for row in rows
    )


# Values of one argument of MIPLMA that figures and statements follow.
LAMBDAS = (2, 3, 4, 5, 6, 7, 8, 9, 10)
TEMPERATURES = (4, 5, 6, 7, 8, 9, 10)


def ours(selection: Selection) -> tuple[Entrant, ...]:
    """Return the readings of MIPLMA to show; the first is the one that is compared.

    Examples
    --------
    >>> [one.method for one in ours(Selection(presets=("released",)))]
    ['miplma-released']
    """
    names = selection.presets or ("ours", "released")
    for name in names:
        if name not in PRESETS:
            raise unknown("preset of MIPLMA", name, PRESETS)
    return tuple(PRESETS[name] for name in names)


def at(leader: Entrant, argument: str, value: float) -> Entrant:
    """Return MIPLMA with one argument changed.

    Examples
    --------
    >>> from mipl.paper.entrants import OURS
    >>> at(OURS, "lam", 5).title
    'MIPLMA (ours), lam=5'
    """
    return leader.with_arguments(
        f"{leader.title}, {argument}={value:g}", **{argument: float(value)}
    )
