"""Publications of the multi-instance partial-label methods."""

from __future__ import annotations

from mipl.methods.catalogue.row import Reference

MIPLMA = Reference(
    text="Tang, Yang, Wang, Zhang, Zhang: Multi-instance partial-label learning with "
    "margin adjustment. NeurIPS 2024.",
    bibtex="""\
@inproceedings{tang2024miplma,
  author    = {Wei Tang and Yin-Fang Yang and Zhaofei Wang and Weijia Zhang and
               Min-Ling Zhang},
  title     = {Multi-Instance Partial-Label Learning with Margin Adjustment},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2024},
}""",
)

DEMIPL = Reference(
    text="Tang, Zhang, Zhang: Disambiguated attention embedding for multi-instance "
    "partial-label learning. NeurIPS 2023.",
    bibtex="""\
@inproceedings{tang2023demipl,
  author    = {Wei Tang and Weijia Zhang and Min-Ling Zhang},
  title     = {Disambiguated Attention Embedding for Multi-Instance Partial-Label
               Learning},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2023},
}""",
)

ELIMIPL = Reference(
    text="Tang, Zhang, Zhang: Exploiting conjugate label information for "
    "multi-instance partial-label learning. IJCAI 2024.",
    bibtex="""\
@inproceedings{tang2024elimipl,
  author    = {Wei Tang and Weijia Zhang and Min-Ling Zhang},
  title     = {Exploiting Conjugate Label Information for Multi-Instance
               Partial-Label Learning},
  booktitle = {Proceedings of the International Joint Conference on Artificial
               Intelligence},
  year      = {2024},
}""",
)

MIPLGP = Reference(
    text="Tang, Zhang, Zhang: Multi-instance partial-label learning: towards "
    "exploiting dual inexact supervision. Science China Information Sciences 2024.",
    bibtex="""\
@article{tang2024miplgp,
  author    = {Wei Tang and Weijia Zhang and Min-Ling Zhang},
  title     = {Multi-Instance Partial-Label Learning: Towards Exploiting Dual Inexact
               Supervision},
  journal   = {Science China Information Sciences},
  year      = {2024},
}""",
)

PROMIPL = Reference(
    text="Yang, Tang, Zhang: ProMIPL: a probabilistic generative model for "
    "multi-instance partial-label learning. ICDM 2024.",
    bibtex="""\
@inproceedings{yang2024promipl,
  author    = {Yin-Fang Yang and Wei Tang and Min-Ling Zhang},
  title     = {ProMIPL: A Probabilistic Generative Model for Multi-Instance
               Partial-Label Learning},
  booktitle = {IEEE International Conference on Data Mining},
  year      = {2024},
}""",
)

FASTMIPL = Reference(
    text="Yang, Tang, Zhang: Fast multi-instance partial-label learning. AAAI 2025.",
    bibtex="""\
@inproceedings{yang2025fastmipl,
  author    = {Yin-Fang Yang and Wei Tang and Min-Ling Zhang},
  title     = {Fast Multi-Instance Partial-Label Learning},
  booktitle = {Proceedings of the AAAI Conference on Artificial Intelligence},
  year      = {2025},
}""",
)

CDL = Reference(
    text="Tang, Yang, Zhang, Zhang: Calibratable disambiguation loss for "
    "multi-instance partial-label learning. IEEE TPAMI 2026 (arXiv 2512.17788).",
    bibtex="""\
@article{tang2026cdl,
  author    = {Wei Tang and Yin-Fang Yang and Weijia Zhang and Min-Ling Zhang},
  title     = {Calibratable Disambiguation Loss for Multi-Instance Partial-Label
               Learning},
  journal   = {IEEE Transactions on Pattern Analysis and Machine Intelligence},
  year      = {2026},
  note      = {arXiv 2512.17788},
}""",
)

MEAN_POOLING = Reference(
    text="Amores: Multiple instance classification: review, taxonomy and comparative "
    "study. Artificial Intelligence 201, 2013 (there Simple-MI).",
    bibtex="""\
@article{amores2013multiple,
  author    = {Jaume Amores},
  title     = {Multiple Instance Classification: Review, Taxonomy and Comparative
               Study},
  journal   = {Artificial Intelligence},
  volume    = {201},
  pages     = {81--105},
  year      = {2013},
}""",
)
