"""Networks with every form of attention, in float64."""

from itertools import product

import torch

from mipl.nn import BagNetwork, GatedScore, MarginAttention
from mipl.nn.attention import inverse_root
from mipl.nn.encoders import LinearEncoder, Standardise
from mipl.nn.heads import HEADS
from mipl.nn.initialisation import initialise

WIDTH, CLASSES = 5, 3
ORDERS = ("scores", "attention", "none")
FORMS = [
    {"standardise": order, "shared": shared, "head": head, "bias": bias, "scale": scale}
    for order, shared, head, bias, scale in product(
        ORDERS, (True, False), ("linear", "mlp"), (True, False), (True, False)
    )
]


def name(form):
    return "-".join(map(str, form.values()))


def attention(form, detach=False):
    score = GatedScore(
        WIDTH, CLASSES, shared=form["shared"], head=form["head"], bias=form["bias"]
    )
    scale = inverse_root(WIDTH) if form["scale"] else 1.0
    return MarginAttention(
        score, standardise=form["standardise"], scale=scale, detach_spread=detach
    )


def network(form, d, classifier="softmax", seed=0):
    """Return a network with enlarged values, so that attention is not flat."""
    head = HEADS[classifier](WIDTH, CLASSES)
    encoder = LinearEncoder(d, WIDTH, 0.0)
    module = BagNetwork(Standardise(d), encoder, attention(form), head)
    initialise(module, seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(2)
    return module.double().eval()
