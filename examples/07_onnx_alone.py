"""Predict bags with an exported model: NumPy and onnxruntime, and nothing else.
=============================================================================

mipl export run model.onnx
mipl data convert new.bags.h5 new.npz
python examples/07_onnx_alone.py model.onnx new.npz
"""

import json
import math
import sys

import numpy as np
import onnxruntime

model, bags = sys.argv[1:]
session = onnxruntime.InferenceSession(model)
metadata = session.get_modelmeta().custom_metadata_map
told = {name: json.loads(text) for name, text in metadata.items()}
with np.load(bags) as arrays:  # The rows of all bags, and where each bag begins.
    instances, offsets = arrays["instances"].astype("f"), arrays["offsets"]

names = [output.name for output in session.get_outputs()]
values = session.run(names, {"instances": instances, "offsets": offsets})
found = dict(zip(names, values, strict=True))

if told["calibration"] and (conformal := told["calibration"]["conformal"]):
    scores = conformal["scores"]  # Rising; sets hold the truth 9 times of 10.
    rank = math.ceil(round((len(scores) + 1) * 0.9, 9))
    most = scores[rank - 1] if rank <= len(scores) else 1.0
    raw = found[conformal["of"]]
    sets = (1 - raw <= most) | (raw == raw.max(axis=1, keepdims=True))
    print(f"{told['method']}: {sets.sum(axis=1).mean():.2f} classes in a set")
for bag, p in enumerate(found["probabilities"][:3]):
    own = slice(offsets[bag], offsets[bag + 1])
    where = found["attention"][own].argmax() if "attention" in found else "?"
    print(bag, told["classes"][p.argmax()], f"{p.max():.4f}", "by instance", where)
