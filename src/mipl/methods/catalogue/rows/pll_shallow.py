"""Registry rows of the partial-label methods without networks."""

from __future__ import annotations

from mipl.methods.catalogue.row import Reference, Row

_PLAGGD = Reference(
    text="Wang, Li, Zhang: Adaptive graph guided disambiguation for partial label "
    "learning. KDD 2019.",
    bibtex="""\
@inproceedings{wang2019plaggd,
  author    = {Deng-Bao Wang and Li Li and Min-Ling Zhang},
  title     = {Adaptive Graph Guided Disambiguation for Partial Label Learning},
  booktitle = {Proceedings of the ACM SIGKDD International Conference on Knowledge
               Discovery and Data Mining},
  year      = {2019},
}""",
)

_PLSVM = Reference(
    text="Nguyen, Caruana: Classification with partial labels. KDD 2008.",
    bibtex="""\
@inproceedings{nguyen2008plsvm,
  author    = {Nam Nguyen and Rich Caruana},
  title     = {Classification with Partial Labels},
  booktitle = {Proceedings of the ACM SIGKDD International Conference on Knowledge
               Discovery and Data Mining},
  year      = {2008},
}""",
)

_M3PL = Reference(
    text="Yu, Zhang: Maximum margin partial label learning. Machine Learning 2017.",
    bibtex="""\
@article{yu2017m3pl,
  author    = {Fei Yu and Min-Ling Zhang},
  title     = {Maximum Margin Partial Label Learning},
  journal   = {Machine Learning},
  year      = {2017},
}""",
)

ROWS = (
    Row(
        "pl-aggd",
        "PL-AGGD",
        family="pll",
        summary="Label weights, a graph of neighbours and a kernel regression that "
        "follow one another; at most 6000 rows.",
        path="mipl.methods.pll.plaggd:PLAGGD",
        reference=_PLAGGD,
    ),
    Row(
        "pl-svm",
        "PL-SVM",
        family="pll",
        summary="Linear scorers whose best candidate beats the best non-candidate by "
        "a margin.",
        path="mipl.methods.pll.plsvm:PLSVM",
        reference=_PLSVM,
    ),
    Row(
        "m3pl",
        "M3PL",
        family="pll",
        summary="A support vector machine and labels assigned under class counts, in "
        "turn; at most 6000 rows.",
        path="mipl.methods.pll.m3pl:M3PL",
        reference=_M3PL,
    ),
)
