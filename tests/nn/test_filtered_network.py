"""Which instances pass a filter, and the fused features of bags."""

import torch

from mipl.nn.attention import SigmoidAttention
from mipl.nn.filtered_network import FilteredNetwork, passed
from mipl.nn.heads import SoftmaxHead
from mipl.nn.initialisation import initialise, linear
from mipl.nn.segments import Segments

SIZES = [3, 1, 2]


class OneScore(torch.nn.Module):
    """The first number of an instance."""

    def forward(self, h):
        return h[:, 0]


def looked(least):
    chance = torch.Generator().manual_seed(0)
    h = torch.randn(6, 3, generator=chance)
    h[3:, 0] -= 5
    network = FilteredNetwork(
        torch.nn.Identity(),
        torch.nn.Identity(),
        SigmoidAttention(OneScore()),
        SoftmaxHead(3, 2),
        width=3,
        n_classes=2,
    )
    initialise(network, 0)
    return network, h, network(h, Segments.of(torch.tensor(SIZES)), least)


def test_what_passes_bag_by_bag():
    _, h, out = looked(least=0.5)
    expected = []
    for bag in torch.sigmoid(h[:, 0]).split(SIZES):
        enough = bag >= 0.5
        if not enough.any():
            enough = torch.arange(len(bag)) == bag.argmax()
        expected.append(enough)
    assert torch.equal(out.kept, torch.cat(expected).float())


def test_where_all_attention_underflows_the_largest_score_passes():
    scores = torch.tensor([-300.0, -200.0, -250.0])
    a = torch.sigmoid(scores)
    assert float(a.max()) == 0
    found = passed(a, scores, Segments.of(torch.tensor([3])), 0.2)
    assert found.tolist() == [0.0, 1.0, 0.0]


def test_fused_features_are_a_map_of_the_bag_beside_the_mean_of_what_passes():
    network, h, out = looked(least=0.5)
    for i, (part, kept) in enumerate(
        zip(h.split(SIZES), out.kept.split(SIZES), strict=True)
    ):
        mapped = network.bag_map(out.z[i])
        mean = part[kept.bool()].mean(dim=0)
        torch.testing.assert_close(out.fused[i], torch.cat([mapped, mean]).detach())
    assert not out.fused.requires_grad


def test_instances_are_judged_through_a_sigmoid():
    network, h, out = looked(least=0.5)
    o = torch.sigmoid(h @ network.instance_classifier.weight.T)
    biased = torch.sigmoid(network.instance_classifier(h))
    assert not torch.allclose(o, biased)
    torch.testing.assert_close(out.instance_log_p, biased.log_softmax(dim=1))


def test_the_map_is_no_trained_parameter():
    network, _, _ = looked(least=0.5)
    assert not any(p.requires_grad for p in network.bag_map.parameters())
    assert linear(2, 2).weight.requires_grad
