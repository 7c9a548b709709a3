"""Matrices in 8 bits."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from mipl.methods.exports.int8 import in_8_bits, store_in_8_bits


def test_a_number_moves_by_half_a_step_at_most():
    matrix = np.random.default_rng(0).normal(size=(5, 40)).astype("f")
    matrix[2] *= 1000
    numbers, scales = in_8_bits(matrix)
    assert numbers.dtype == np.int8
    steps = np.abs(matrix).max(axis=1) / 127
    off = np.abs(numbers * scales[:, None] - matrix)
    assert (off <= steps[:, None] * 0.5001).all()


def test_small_matrices_and_vectors_stay_as_they_are():
    chance = np.random.default_rng(0)
    given = {
        "large": chance.normal(size=(16, 20)).astype("f"),
        "small": chance.normal(size=(3, 20)).astype("f"),
        "vector": chance.normal(size=400).astype("f"),
        "whole": np.arange(400).reshape(20, 20),
    }
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "large"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 16])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 20])],
        [numpy_helper.from_array(value, name) for name, value in given.items()],
    )
    opset = [helper.make_opsetid("", 20)]
    proto = helper.make_model(graph, opset_imports=opset, ir_version=9)
    store_in_8_bits(proto)
    onnx.checker.check_model(proto)
    kept = {one.name: numpy_helper.to_array(one) for one in proto.graph.initializer}
    assert set(kept) == {"large.int8", "large.scale", "small", "vector", "whole"}
    again = kept["large.int8"] * kept["large.scale"][:, None]
    assert 0 < np.abs(again - given["large"]).max() < 0.02
    assert [node.op_type for node in proto.graph.node] == ["DequantizeLinear", "MatMul"]
