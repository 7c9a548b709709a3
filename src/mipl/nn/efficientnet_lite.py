"""EfficientNet-Lite0: images -> logits of the 1000 ImageNet classes, at little cost.

The EfficientNet of Tan and Le (ICML 2019) made for small machines: no squeeze-and-
excitation, ReLU6 in place of swish, stem and head of a fixed width. It was published
for TensorFlow, whose padding and batch norm its values expect.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

from mipl.nn.initialisation import EmptyConv2d, linear

# Blocks, side of the kernel, stride of the first block, expansion, channels out.
_STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
_STEM, _HEAD = 32, 1280


class SameConv(EmptyConv2d):
    """A convolution without bias whose output has ceil(side / stride) pixels a side.

    An odd pixel of padding is put at the end, as TensorFlow does.
    """

    def __init__(
        self, inputs: int, outputs: int, side: int, stride: int = 1, groups: int = 1
    ) -> None:
        super().__init__(inputs, outputs, side, stride, groups=groups, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Pad and convolve."""
        (side, _), (stride, _) = self.kernel_size, self.stride
        padding: list[int] = []
        for n in (x.shape[3], x.shape[2]):
            missing = max((-(-n // stride) - 1) * stride + side - n, 0)
            padding += [missing // 2, missing - missing // 2]
        return super().forward(functional.pad(x, padding) if any(padding) else x)


class MBConv(nn.Module):
    """An inverted bottleneck: widen, convolve each channel, project; x is added.

    Nothing is widened at an expansion of 1, and x is added where the shape stays.
    """

    def __init__(
        self, inputs: int, outputs: int, side: int, stride: int, expansion: int
    ) -> None:
        super().__init__()
        wide = inputs * expansion
        self.added = (inputs, stride) == (outputs, 1)
        self.widened = expansion != 1
        if self.widened:
            self.expand_conv = SameConv(inputs, wide, 1)
            self.bn0 = _norm(wide)
        self.depthwise_conv = SameConv(wide, wide, side, stride, groups=wide)
        self.bn1 = _norm(wide)
        self.project_conv = SameConv(wide, outputs, 1)
        self.bn2 = _norm(outputs)
        self.relu6 = nn.ReLU6(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        """Return the block's output."""
        h = self.relu6(self.bn0(self.expand_conv(x))) if self.widened else x
        h = self.relu6(self.bn1(self.depthwise_conv(h)))
        h = self.bn2(self.project_conv(h))  # No activation: the bottleneck is linear.
        return h + x if self.added else h  # type: ignore[no-any-return]


class EfficientNetLite0(nn.Module):
    """A strided convolution, sixteen inverted bottlenecks, the mean, one affine map.

    The values are not drawn: fill them by ``mipl.nn.published_values.fill`` or
    ``mipl.nn.initialisation.initialise``. (The dropout before the affine map serves
    training only and is not here.)

    Examples
    --------
    >>> sum(value.numel() for value in EfficientNetLite0().parameters())
    4652008
    """

    def __init__(self, n_classes: int = 1000) -> None:
        super().__init__()
        self.conv_stem = SameConv(3, _STEM, 3, stride=2)
        self.bn0 = _norm(_STEM)
        self.blocks = _blocks()
        self.conv_head = SameConv(_STAGES[-1][-1], _HEAD, 1)
        self.bn1 = _norm(_HEAD)
        self.relu6 = nn.ReLU6(inplace=True)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = linear(_HEAD, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of images (n, 3, height, width)."""
        x = self.relu6(self.bn0(self.conv_stem(x)))  # (n, 32, 112, 112)
        x = self.blocks(x)  # (n, 320, 7, 7)
        x = self.relu6(self.bn1(self.conv_head(x)))  # (n, 1280, 7, 7)
        return self.fc(self.avgpool(x).flatten(1))  # type: ignore[no-any-return]  # (n, 1000)


def _blocks() -> nn.Sequential:
    blocks, inputs = [], _STEM
    for depth, side, stride, expansion, outputs in _STAGES:
        for i in range(depth):
            step = 1 if i else stride
            blocks.append(MBConv(inputs, outputs, side, step, expansion))
            inputs = outputs
    return nn.Sequential(*blocks)


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=1e-3)  # TensorFlow's epsilon.
