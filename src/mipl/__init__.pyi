"""Public names, for type checkers; written by ``make names``."""

from mipl.data import Bags as Bags
from mipl.data import Candidates as Candidates
from mipl.data import Dataset as Dataset
from mipl.data import MaxMin as MaxMin
from mipl.data import Mean as Mean
from mipl.data import PerInstance as PerInstance
from mipl.data import ten_splits as ten_splits
from mipl.data.describe import describe as describe
from mipl.data.validate import validate as validate
from mipl.datasets import load_dataset as load_dataset
from mipl.errors import MiplError as MiplError
from mipl.io import read_bags as read_bags
from mipl.io import read_dataset as read_dataset
from mipl.io import write_dataset as write_dataset
from mipl.methods.bases.base import BagClassifier as BagClassifier
from mipl.methods.catalogue.own_methods import register as register
from mipl.methods.catalogue.registry import method as method
from mipl.methods.loading import load_model as load_model
from mipl.methods.mil.abmil import ABMIL as ABMIL
from mipl.methods.mil.gated_abmil import GatedABMIL as GatedABMIL
from mipl.methods.mil.lm_vgpmil import LMVGPMIL as LMVGPMIL
from mipl.methods.mil.loss_attention import LossAttention as LossAttention
from mipl.methods.mil.maam import MAAM as MAAM
from mipl.methods.mil.mivae import MIVAE as MIVAE
from mipl.methods.mil.vgpmil import VGPMIL as VGPMIL
from mipl.methods.mil.vwsgp import VWSGP as VWSGP
from mipl.methods.mipl.agopmipl import AGOPMIPL as AGOPMIPL
from mipl.methods.mipl.cdl import CDL as CDL
from mipl.methods.mipl.demipl import DEMIPL as DEMIPL
from mipl.methods.mipl.elimipl import ELIMIPL as ELIMIPL
from mipl.methods.mipl.fastmipl import FastMIPL as FastMIPL
from mipl.methods.mipl.hfcmipl import HFCMIPL as HFCMIPL
from mipl.methods.mipl.mean_pooling import MeanPooling as MeanPooling
from mipl.methods.mipl.miplgp import MIPLGP as MIPLGP
from mipl.methods.mipl.miplma import MIPLMA as MIPLMA
from mipl.methods.mipl.promipl import ProMIPL as ProMIPL
from mipl.methods.pll.cavl import CAVL as CAVL
from mipl.methods.pll.cc import CC as CC
from mipl.methods.pll.lws import LWS as LWS
from mipl.methods.pll.m3pl import M3PL as M3PL
from mipl.methods.pll.plaggd import PLAGGD as PLAGGD
from mipl.methods.pll.plsvm import PLSVM as PLSVM
from mipl.methods.pll.pop import POP as POP
from mipl.methods.pll.proden import PRODEN as PRODEN
from mipl.methods.pll.proden_ma import PRODENMA as PRODENMA
from mipl.methods.pll.rc import RC as RC
from mipl.methods.wrappers.degraded import Degraded as Degraded
from mipl.methods.wrappers.ensemble import Ensemble as Ensemble
from mipl.methods.wrappers.one_vs_rest import OneVsRest as OneVsRest
from mipl.methods.wrappers.together import fit_together as fit_together
from mipl.runs.run import Run as Run
from mipl.training import Checkpoint as Checkpoint
from mipl.training import Training as Training

__version__: str
__all__: list[str]
