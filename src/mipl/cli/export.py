"""``mipl export``: a model as an ONNX file, which predicts without this library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mipl.cli.model_options import ModelFolder
from mipl.cli.options import Json
from mipl.cli.output import say, show_json
from mipl.cli.own_files import Own, run_own


def export(
    model: ModelFolder,
    out: Annotated[Path, typer.Argument(help="The file to write, .onnx.")],
    int8: Annotated[
        bool,
        typer.Option(
            "--int8", help="Matrices in 8 bits: smaller, with other probabilities."
        ),
    ] = False,
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Write a network to an ONNX file: scaling, attention, calibration inside.

    It takes bags as instances and offsets; see docs/models_that_travel.md.
    """
    from mipl.methods.exports.export import export_onnx
    from mipl.runs.folder import open_model

    run_own(own)
    done = export_onnx(open_model(model).model, out, int8=int8)
    if as_json:
        show_json({**vars(done), "path": str(done.path), "outputs": [*done.outputs]})
        return
    say("written", str(done.path))
    kind = ", matrices in 8 bits" if int8 else ""
    say("size", f"{done.n_bytes:,} bytes{kind}")
    say("outputs", ", ".join(done.outputs))
    say("tried", f"probabilities differ by {done.difference:.1e} on random bags")
