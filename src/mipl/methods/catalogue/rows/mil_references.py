"""Publications of the multi-instance methods that train a network."""

from __future__ import annotations

from mipl.methods.catalogue.row import Reference

# Of both forms of attention, plain and gated.
ABMIL = Reference(
    text="Ilse, Tomczak, Welling: Attention-based deep multiple instance learning. "
    "ICML 2018.",
    bibtex="""\
@inproceedings{ilse2018abmil,
  author    = {Maximilian Ilse and Jakub M. Tomczak and Max Welling},
  title     = {Attention-Based Deep Multiple Instance Learning},
  booktitle = {Proceedings of the International Conference on Machine Learning},
  year      = {2018},
}""",
)

LOSS_ATTENTION = Reference(
    text="Shi, Xing, Xie, Zhang, Cui, Yang: Loss-based attention for deep multiple "
    "instance learning. AAAI 2020.",
    bibtex="""\
@inproceedings{shi2020lossattention,
  author    = {Xiaoshuang Shi and Fuyong Xing and Yuanpu Xie and Zizhao Zhang and
               Lei Cui and Lin Yang},
  title     = {Loss-Based Attention for Deep Multiple Instance Learning},
  booktitle = {Proceedings of the AAAI Conference on Artificial Intelligence},
  year      = {2020},
}""",
)

MIVAE = Reference(
    text="Zhang: Non-i.i.d. multi-instance learning for predicting instance and bag "
    "labels with variational auto-encoder. IJCAI 2021.",
    bibtex="""\
@inproceedings{zhang2021mivae,
  author    = {Weijia Zhang},
  title     = {Non-I.I.D. Multi-Instance Learning for Predicting Instance and Bag
               Labels with Variational Auto-Encoder},
  booktitle = {Proceedings of the International Joint Conference on Artificial
               Intelligence},
  year      = {2021},
}""",
)
