"""Matrices of an ONNX graph in 8 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

LEAST = 256  # Numbers of a matrix; of fewer the scales would take the room that is won.


def in_8_bits(
    matrix: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Return whole numbers from -127 to 127, and the scale of each row.

    Examples
    --------
    >>> numbers, scales = in_8_bits(np.array([[1.27, -0.5], [0.0, 0.0]], "f"))
    >>> numbers.tolist(), scales.round(3).tolist()
    ([[127, -50], [0, 0]], [0.009999999776482582, 1.0])
    """
    most = np.abs(matrix).reshape(len(matrix), -1).max(axis=1)
    scales = np.where(most > 0, most / np.float32(127), 1.0).astype(np.float32)
    by_row = scales.reshape(-1, *[1] * (matrix.ndim - 1))
    return np.rint(matrix / by_row).astype(np.int8), scales


def store_in_8_bits(proto: Any) -> None:
    """Store the large matrices of a graph in 8 bits, a scale for each row.

    They are float32 again before they are multiplied: so what a graph says of a bag
    does not depend on the other bags of a call, as it does where instances are put into
    8 bits, too.
    """
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415  # Optional.

    graph, nodes = proto.graph, []
    for tensor in list(graph.initializer):
        matrix = tensor.data_type == TensorProto.FLOAT and len(tensor.dims) > 1
        if not matrix or np.prod(tensor.dims) < LEAST:
            continue
        numbers, scales = in_8_bits(numpy_helper.to_array(tensor))
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(numbers, f"{name}.int8"))
        graph.initializer.append(numpy_helper.from_array(scales, f"{name}.scale"))
        inputs = [f"{name}.int8", f"{name}.scale"]
        nodes.append(helper.make_node("DequantizeLinear", inputs, [name], axis=0))
    for node in reversed(nodes):
        graph.node.insert(0, node)
