"""A module of the user's: what it may return, and training it in pieces."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from mipl.errors import MiplError
from mipl.nn.dropout import rekey
from mipl.nn.own_encoder import OwnEncoder, pooled
from mipl.seeds import stream_seed

X = torch.rand(11, 3 * 6 * 5, generator=torch.Generator().manual_seed(0)).double()
SHAPE = (3, 6, 5)


def network(dropout=0.0):
    torch.manual_seed(1)
    layers = [nn.Conv2d(3, 4, 3), nn.Tanh(), nn.Dropout(dropout), nn.Flatten()]
    return nn.Sequential(*layers, nn.Linear(48, 5), nn.Tanh()).double()


def gradients(h, module):
    """Return the gradients of a loss that looks at all instances together."""
    weights = torch.softmax(h.sum(dim=1), dim=0)
    loss = (weights @ h.square()).sum()
    return torch.autograd.grad(loss, list(module.parameters()))


@pytest.mark.parametrize("at_once", [1, 4, 10, 11, 50])
def test_gradients_in_pieces_are_those_of_the_whole(at_once):
    module = network()
    expected = gradients(module(X.view(-1, *SHAPE)), module)
    own = OwnEncoder(module, SHAPE, at_once=at_once).train()
    for one, other in zip(gradients(own(X), own), expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)


def test_in_single_precision_too():
    module = network().float()
    expected = gradients(module(X.float().view(-1, *SHAPE)), module)
    own = OwnEncoder(module, SHAPE, at_once=4).train()
    for one, other in zip(gradients(own(X.float()), own), expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


def test_what_is_computed_again_draws_what_it_drew():
    module = network(dropout=0.4).train()
    parts = []
    for i, part in enumerate(torch.split(X.view(-1, *SHAPE), 4)):
        torch.manual_seed(stream_seed(7, "piece", i))
        parts.append(module(part))
    expected = gradients(torch.cat(parts), module)
    own = OwnEncoder(module, SHAPE, at_once=4).train()
    rekey(own, 7)
    before = torch.get_rng_state()
    found = gradients(own(X), own)
    assert torch.equal(torch.get_rng_state(), before)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)
    # Pieces draw differently: rows of equal instances differ.
    rekey(own, 7)
    alike = own(X[:1].repeat(8, 1))
    assert not torch.equal(alike[:4], alike[4:])


def kept_numbers(at_once):
    """Return how many numbers a forward pass keeps for the gradients."""
    own, kept = OwnEncoder(network(), SHAPE, at_once=at_once).train(), {}

    def pack(values):
        kept[values.data_ptr()] = values.numel()
        return values

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda values: values):
        own(X)
    return sum(kept.values())


def test_in_pieces_nothing_is_kept_but_the_instances():
    # Otherwise at least the 4 x 4 x 3 convolved numbers of each, too.
    assert kept_numbers(None) > X.numel() + len(X) * 48
    assert kept_numbers(4) == X.numel()


class Watched(nn.Module):
    def __init__(self):
        super().__init__()
        self.map = nn.Linear(90, 2).double()
        self.seen = []

    def forward(self, x):
        self.seen.append(len(x))
        return self.map(x.flatten(1))


def test_predictions_see_no_more_at_once_either():
    own = OwnEncoder(Watched(), SHAPE, at_once=4).eval()
    with torch.no_grad():
        h = own(X)
    assert own.module.seen == [4, 4, 3]
    torch.testing.assert_close(h, own.module.map(X))


def test_batch_norm_is_refused_in_pieces_unless_it_is_frozen():
    module = nn.Sequential(nn.Flatten(), nn.BatchNorm1d(90), nn.Linear(90, 2)).double()
    own = OwnEncoder(module, SHAPE, at_once=4).train()
    with pytest.raises(MiplError, match=r"layer 1 \(BatchNorm1d\).* take GroupNorm"):
        own(X)
    assert own(X[:4]).shape == (4, 2)  # One piece.
    own.module[1].eval()
    assert own(X).shape == (11, 2)


def test_what_hugging_face_models_return_becomes_vectors():
    states = torch.rand(2, 7, 3)
    both = SimpleNamespace(pooler_output=torch.ones(2, 4), last_hidden_state=states)
    assert torch.equal(pooled(both), torch.ones(2, 4))
    both.pooler_output = torch.ones(2, 4, 1, 1)
    assert pooled(both).shape == (2, 4)
    both.pooler_output = None
    naive = sum(states[:, t] for t in range(7)) / 7
    torch.testing.assert_close(pooled(both), naive)
    places = torch.rand(2, 3, 4, 5)
    naive = torch.stack([p.flatten(1).sum(1) / 20 for p in places])
    torch.testing.assert_close(pooled(SimpleNamespace(last_hidden_state=places)), naive)


def test_what_has_none_of_it_is_told():
    class Empty(nn.Module):
        def forward(self, x):
            return SimpleNamespace(logits=x)

    with pytest.raises(MiplError, match=r"an object with a pooler_output .* it gave"):
        OwnEncoder(Empty(), SHAPE)(X)
