"""Registry rows of the multi-instance methods with Gaussian processes."""

from __future__ import annotations

from mipl.methods.catalogue.row import Reference, Row

_VWSGP = Reference(
    text="Kandemir, Haussmann, Diego, Rajamani, van der Laak, Hamprecht: Variational "
    "weakly supervised Gaussian processes. BMVC 2016.",
    bibtex="""\
@inproceedings{kandemir2016vwsgp,
  author    = {Melih Kandemir and Manuel Haussmann and Ferran Diego and
               Kumar T. Rajamani and Jeroen van der Laak and Fred A. Hamprecht},
  title     = {Variational Weakly Supervised {Gaussian} Processes},
  booktitle = {Proceedings of the British Machine Vision Conference},
  year      = {2016},
}""",
)

# Of VGPMIL and of LM-VGPMIL.
_VGPMIL = Reference(
    text="Haussmann, Hamprecht, Kandemir: Variational Bayesian multiple instance "
    "learning with Gaussian processes. CVPR 2017.",
    bibtex="""\
@inproceedings{haussmann2017vgpmil,
  author    = {Manuel Haussmann and Fred A. Hamprecht and Melih Kandemir},
  title     = {Variational {Bayesian} Multiple Instance Learning with {Gaussian}
               Processes},
  booktitle = {Proceedings of the IEEE Conference on Computer Vision and Pattern
               Recognition},
  year      = {2017},
}""",
)

ROWS = (
    Row(
        "vwsgp",
        "VWSGP",
        family="mil",
        summary="A Gaussian process whose evidence adds up over a bag; one learner "
        "per class.",
        path="mipl.methods.mil.vwsgp:VWSGP",
        reference=_VWSGP,
        one_vs_rest=True,
    ),
    Row(
        "vgpmil",
        "VGPMIL",
        family="mil",
        summary="Instance labels, tied by their bags, and a Gaussian process that "
        "explains them; one learner per class.",
        path="mipl.methods.mil.vgpmil:VGPMIL",
        reference=_VGPMIL,
        one_vs_rest=True,
    ),
    Row(
        "lm-vgpmil",
        "LM-VGPMIL",
        family="mil",
        summary="VGPMIL with a margin that instances should keep; one learner per "
        "class.",
        path="mipl.methods.mil.lm_vgpmil:LMVGPMIL",
        reference=_VGPMIL,
        one_vs_rest=True,
    ),
)
