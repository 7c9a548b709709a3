"""The statements of the text that can be counted: what is above what, how often."""

from __future__ import annotations

from collections.abc import Iterable

from mipl.datasets.published_sets import (
    BENCHMARKS,
    BIRDSONG,
    DEEP,
    DEEP_16,
    DEEP_25,
    FMNIST,
    KMEANS,
    KMNIST,
    MNIST,
    ROW,
    SBN,
    SIFT,
    SIVAL,
    TISSUE,
    PublishedSet,
)
from mipl.paper.cells import Spot, spots
from mipl.paper.claim import (
    SAME,
    SIGNIFICANT,
    Amount,
    Claim,
    Count,
    Pair,
    pairs,
)
from mipl.paper.composition import FAMILIES, ROWS, against
from mipl.paper.entrants import (
    ATTEN,
    ATTEN_GATE,
    DEMIPL,
    ELIMIPL,
    LAMBDAS,
    LINEAR,
    LOSS_ATTEN,
    MAAM,
    MAINS,
    MALAB,
    MAMM,
    MARGIN,
    MIL,
    MIPLGP,
    MLP,
    PRODEN_MA,
    PRODEN_MLP,
    RELEASED,
    RIVALS,
    TEMPERATURES,
    VARIANTS,
    Entrant,
    at,
)
from mipl.paper.published import counts


def leads(leader: Entrant, rivals: Iterable[Spot]) -> tuple[Pair, ...]:
    """Pair a leader with rivals on the same data."""
    rivals = list(rivals)
    return pairs((Spot(leader, spot.source, spot.r) for spot in rivals), rivals)


def over_data(
    entrants: Iterable[Entrant],
    better: Iterable[PublishedSet],
    worse: Iterable[PublishedSet],
) -> tuple[Pair, ...]:
    """Pair each method on some data sets with itself on others."""
    worse = list(worse)
    return tuple(
        (Amount(Spot(entrant, a, None)), Amount(Spot(entrant, b, None)))
        for entrant in entrants
        for a in better
        for b in worse
    )


def _benchmark(leader: Entrant) -> list[Claim]:
    every = spots(RIVALS, BENCHMARKS)
    embedded = spots((ELIMIPL, DEMIPL), BENCHMARKS)
    gp = spots((MIPLGP,), BENCHMARKS)
    return [
        Claim("above the MIPL methods", "33 of 36", leads(leader, every)),
        Claim("above ELIMIPL and DEMIPL", "21 of 24", leads(leader, embedded)),
        Claim("above MIPLGP", "all 12", leads(leader, gp)),
        Claim(
            "significantly above PLL, linear",
            "all 144",
            leads(leader, spots(LINEAR, BENCHMARKS)),
            SIGNIFICANT,
        ),
        Claim(
            "significantly above PLL, MLP",
            "all 120",
            leads(leader, spots(MLP, BENCHMARKS)),
            SIGNIFICANT,
        ),
        Claim(
            "MIPLGP above DEMIPL on SIVAL-MIPL",
            "all 3",
            pairs(spots((MIPLGP,), [SIVAL]), spots((DEMIPL,), [SIVAL])),
        ),
        Claim(
            "LOSS-ATTEN above the other MIL methods",
            "all 24",
            leads(LOSS_ATTEN, spots(MIL[:-1], BENCHMARKS, (1,))),
        ),
    ]


def _reductions() -> list[Claim]:
    """Mean against MaxMin, data set by data set."""
    mean, maxmin = LINEAR[::2], LINEAR[1::2]
    claims = [
        Claim(
            f"Mean above MaxMin on {source.title}",
            "generally",
            pairs(spots(mean, [source]), spots(maxmin, [source])),
            most=True,
        )
        for source in (MNIST, FMNIST)
    ]
    claims += [
        Claim(
            f"MaxMin above Mean on {source.title}",
            "in most cases",
            pairs(spots(maxmin, [source]), spots(mean, [source])),
            most=True,
        )
        for source in (BIRDSONG, SIVAL)
    ]
    return claims


def _tissue(leader: Entrant) -> list[Claim]:
    rivals = [s for s in against("crc", "mipl") if s.source in TISSUE]
    trio = (leader, ELIMIPL, DEMIPL)
    complex_, plain = (KMEANS, SIFT), (ROW, SBN)
    reversed_ = [
        *over_data([MIPLGP], plain, [KMEANS]),
        *over_data(LINEAR, plain, complex_),
    ]
    return [
        Claim("CRC: above the MIPL methods", "all 11", leads(leader, rivals)),
        Claim(
            "CRC: above PLL, linear", "all cases", leads(leader, spots(LINEAR, TISSUE))
        ),
        Claim("CRC: above PLL, MLP", "37 of 40", leads(leader, spots(MLP, TISSUE))),
        Claim(
            "KMeans and SIFT above Row and SBN, ours and ELIMIPL",
            "yes",
            over_data((leader, ELIMIPL), complex_, plain),
        ),
        Claim("Row and SBN above them, MIPLGP and PLL", "yes", tuple(reversed_)),
        Claim(
            "deep features above the four others", "yes", over_data(trio, DEEP, TISSUE)
        ),
        Claim("25 patches above 16", "yes", over_data(trio, [DEEP_25], [DEEP_16])),
    ]


def _parts(leader: Entrant) -> list[Claim]:
    mlp = spots(MLP, BENCHMARKS), spots(LINEAR[:-2], BENCHMARKS)
    mlp_tissue = spots(MLP, TISSUE), spots(LINEAR[:-2], TISSUE)
    margin = (*spots(MARGIN, BENCHMARKS), *spots(MARGIN, TISSUE))
    hardest, *easier = KMNIST[::-1]
    gains = {
        q: Amount(Spot(PRODEN_MA, q, None), Spot(PRODEN_MLP, q, None)) for q in KMNIST
    }
    return [
        Claim(
            "MLP above linear, benchmarks", "not consistently", pairs(*mlp), denied=True
        ),
        Claim("MLP above linear, CRC", "yes", pairs(*mlp_tissue)),
        Claim("above M3PL and PL-SVM", "consistently", leads(leader, margin)),
        Claim(
            "released form above its three variants, SIVAL-MIPL",
            "consistently",
            leads(RELEASED, spots(VARIANTS, [SIVAL])),
        ),
        Claim("MaLab above MaIns", "yes", leads(MALAB, spots((MAINS,), [SIVAL]))),
        Claim(
            "margin distribution above mean margin, released form",
            "10 of 12",
            leads(RELEASED, spots((MAMM,), BENCHMARKS)),
        ),
        Claim(
            "MaAm above both attentions, true labels",
            "yes",
            leads(MAAM, spots((ATTEN, ATTEN_GATE), (MNIST, FMNIST), (0,))),
        ),
        Claim(
            "PRODEN-MA above PRODEN at every q",
            "all 5",
            leads(PRODEN_MA, spots((PRODEN_MLP,), KMNIST)),
        ),
        Claim(
            "its gain is larger at q=0.9 than at the others",
            "yes",
            tuple((gains[hardest], gains[q]) for q in easier),
        ),
    ]


def _sweeps(leader: Entrant) -> list[Claim]:
    def moved(
        argument: str, values: Iterable[float], source: PublishedSet
    ) -> list[Spot]:
        return spots((at(leader, argument, value) for value in values), [source])

    middle = at(leader, "lam", 5)
    stable = moved("lam", [v for v in LAMBDAS if 3 <= v <= 7 and v != 5], BIRDSONG)
    high = moved("lam", [v for v in LAMBDAS if v > 7], BIRDSONG)
    warm = [
        spot
        for source in (MNIST, BIRDSONG)
        for spot in moved("tau", [v for v in TEMPERATURES if v > 5], source)
    ]
    start = at(leader, "tau", 5)
    return [
        Claim("lambda 3-7 no different from 5", "stable", leads(middle, stable), SAME),
        Claim("lambda 5 above 8-10", "falls above 7", leads(middle, high)),
        Claim("tau0 6-10 no different from 5", "stable", leads(start, warm), SAME),
    ]


def _wins(leader: Entrant) -> list[Claim]:
    def won(
        what: str, says: str, rows: Iterable[str], families: Iterable[str]
    ) -> Claim:
        counted = [c for c in counts() if c.row in rows and c.family in families]
        rivals = [spot for c in counted for spot in against(c.row, c.family)]
        wins = sum(c.win for c in counted)
        return Claim(
            f"significant wins: {what}",
            says,
            leads(leader, rivals),
            SIGNIFICANT,
            Count(wins, len(rivals), 0),
        )

    said = {"mil": "100 %", "pll": "98.6 %", "mipl": "76.5 %"}
    return [
        *(won(title, said[f], ROWS, [f]) for f, title in FAMILIES.items()),
        won("benchmark data sets", "97.3 %", ["1", "2", "3"], FAMILIES),
        won("CRC-MIPL", "91.6 %", ["crc"], FAMILIES),
        won("all", "96.4 %", ROWS, FAMILIES),
    ]


def claims(leader: Entrant) -> list[Claim]:
    """Return the statements, MIPLMA being the ``leader``."""
    return [
        *_benchmark(leader),
        *_reductions(),
        *_tissue(leader),
        *_parts(leader),
        *_sweeps(leader),
        *_wins(leader),
    ]
