"""ResNet-34 (He et al., CVPR 2016): images -> logits of the 1000 ImageNet classes.

Parameters have the names and shapes of torchvision's layout, so that its published
values fit once they are in a safetensors file (``mipl.nn.published_values``).
"""

from __future__ import annotations

from torch import Tensor, nn

from mipl.nn.initialisation import EmptyConv2d, linear

_WIDTHS = (64, 128, 256, 512)
_DEPTHS = (3, 4, 6, 3)


class BasicBlock(nn.Module):
    """relu(x + F(x)) with two 3x3 convolutions in F, each with batch norm.

    Where F changes the shape, x goes through a 1x1 convolution with batch norm.
    """

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = _conv(inputs, outputs, 3, stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = _conv(outputs, outputs, 3, 1)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = (
            nn.Sequential()
            if (inputs, stride) == (outputs, 1)
            else nn.Sequential(
                _conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs)
            )
        )

    def forward(self, x: Tensor) -> Tensor:
        """Return the block's output."""
        h = self.relu(self.bn1(self.conv1(x)))
        h = self.bn2(self.conv2(h))
        return self.relu(h + self.downsample(x))  # type: ignore[no-any-return]


class ResNet34(nn.Module):
    """A 7x7 convolution, four stages of basic blocks, the mean, one affine map.

    The values are not drawn: fill them by ``mipl.nn.published_values.fill`` or
    ``mipl.nn.initialisation.initialise``.

    Examples
    --------
    >>> sum(value.numel() for value in ResNet34().parameters())
    21797672
    """

    def __init__(self, n_classes: int = 1000) -> None:
        super().__init__()
        self.conv1 = _conv(3, _WIDTHS[0], 7, 2)
        self.bn1 = nn.BatchNorm2d(_WIDTHS[0])
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1, self.layer2, self.layer3, self.layer4 = _stages()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = linear(_WIDTHS[-1], n_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of images (n, 3, height, width)."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))  # (n, 64, 56, 56)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))  # (n, 512, 7, 7)
        return self.fc(self.avgpool(x).flatten(1))  # type: ignore[no-any-return]  # (n, 1000)


def _stages() -> list[nn.Sequential]:
    stages, inputs = [], _WIDTHS[0]
    for width, depth in zip(_WIDTHS, _DEPTHS, strict=True):
        # Every stage but the first halves the side in its first block.
        first = BasicBlock(inputs, width, 1 if inputs == width else 2)
        others = [BasicBlock(width, width, 1) for _ in range(depth - 1)]
        stages.append(nn.Sequential(first, *others))
        inputs = width
    return stages


def _conv(inputs: int, outputs: int, side: int, stride: int) -> nn.Conv2d:
    # Without a bias: batch norm follows and has one.
    return EmptyConv2d(
        inputs, outputs, side, stride, padding=(side - 1) // 2, bias=False
    )
