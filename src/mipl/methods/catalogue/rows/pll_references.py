"""Publications of the partial-label methods that train a network."""

from __future__ import annotations

from mipl.methods.catalogue.row import Reference

PRODEN = Reference(
    text="Lv, Xu, Feng, Niu, Geng, Sugiyama: Progressive identification of true labels "
    "for partial-label learning. ICML 2020.",
    bibtex="""\
@inproceedings{lv2020proden,
  author    = {Jiaqi Lv and Miao Xu and Lei Feng and Gang Niu and Xin Geng and
               Masashi Sugiyama},
  title     = {Progressive Identification of True Labels for Partial-Label Learning},
  booktitle = {Proceedings of the International Conference on Machine Learning},
  year      = {2020},
}""",
)

# Of RC and of CC.
CONSISTENT = Reference(
    text="Feng, Lv, Han, Xu, Niu, Geng, An, Sugiyama: Provably consistent "
    "partial-label learning. NeurIPS 2020.",
    bibtex="""\
@inproceedings{feng2020consistent,
  author    = {Lei Feng and Jiaqi Lv and Bo Han and Miao Xu and Gang Niu and Xin Geng
               and Bo An and Masashi Sugiyama},
  title     = {Provably Consistent Partial-Label Learning},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2020},
}""",
)

LWS = Reference(
    text="Wen, Cui, Hang, Liu, Wang, Lin: Leveraged weighted loss for partial label "
    "learning. ICML 2021.",
    bibtex="""\
@inproceedings{wen2021lws,
  author    = {Hongwei Wen and Jingyi Cui and Hanyuan Hang and Jiabin Liu and
               Yisen Wang and Zhouchen Lin},
  title     = {Leveraged Weighted Loss for Partial Label Learning},
  booktitle = {Proceedings of the International Conference on Machine Learning},
  year      = {2021},
}""",
)

CAVL = Reference(
    text="Zhang, Feng, Han, Liu, Niu, Qin, Sugiyama: Exploiting class activation value "
    "for partial-label learning. ICLR 2022.",
    bibtex="""\
@inproceedings{zhang2022cavl,
  author    = {Fei Zhang and Lei Feng and Bo Han and Tongliang Liu and Gang Niu and
               Tao Qin and Masashi Sugiyama},
  title     = {Exploiting Class Activation Value for Partial-Label Learning},
  booktitle = {International Conference on Learning Representations},
  year      = {2022},
}""",
)

POP = Reference(
    text="Xu, Liu, Lv, Qiao, Geng: Progressive purification for instance-dependent "
    "partial label learning. ICML 2023.",
    bibtex="""\
@inproceedings{xu2023pop,
  author    = {Ning Xu and Biao Liu and Jiaqi Lv and Congyu Qiao and Xin Geng},
  title     = {Progressive Purification for Instance-Dependent Partial Label Learning},
  booktitle = {Proceedings of the International Conference on Machine Learning},
  year      = {2023},
}""",
)
