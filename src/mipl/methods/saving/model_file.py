"""The files of a saved model, written whole and read with suspicion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from pydantic_core import from_json
from safetensors import SafetensorError
from safetensors.numpy import load, save

from mipl import files
from mipl.atomic_folders import atomic_folder, read_whole
from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError

VALUES, FACTS, CARD = "model.safetensors", "model.json", "README.md"
_FORMAT, _VERSION = "mipl-model", 1
_LONGEST_JSON = 1 << 26
_LARGEST_VALUES = 1 << 34


class ModelFile(BaseModel):
    """What ``model.json`` holds; version 1."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    format: Literal["mipl-model"] = "mipl-model"
    version: Literal[1] = 1
    method: dict[str, JsonValue]
    facts: dict[str, JsonValue]
    data: dict[str, JsonValue]
    figures: dict[str, float]
    versions: dict[str, str]
    sha256: str = ""

    def sealed(self, values: bytes) -> ModelFile:
        """Return the same with the hash of itself and of the arrays' file."""
        return self.model_copy(update={"sha256": self.digest(values)})

    def digest(self, values: bytes) -> str:
        """Return the hash of all else that is in here and of the arrays' file."""
        body = self.model_dump(exclude={"sha256"})
        total = sha256(json.dumps(body, sort_keys=True, allow_nan=False).encode())
        total.update(values)
        return total.hexdigest()


def write(
    folder: str | Path,
    model: ModelFile,
    arrays: Mapping[str, Array],
    card: str,
    calls: files.FileCalls = files.CALLS,
) -> None:
    """Write the three files of a model; the folder appears whole or not at all."""
    values = save({name: np.asarray(a, order="C") for name, a in arrays.items()})
    try:
        sealed = model.sealed(values).model_dump()
    except ValueError:
        raise MiplError(
            "the model cannot be saved: a figure of it is NaN or infinite."
        ) from None
    facts = json.dumps(sealed, indent=1, allow_nan=False).encode()
    if len(facts) > _LONGEST_JSON:
        raise MiplError(
            f"the model cannot be saved: {FACTS} would have {len(facts):,} bytes; "
            f"at most {_LONGEST_JSON:,} can be loaded."
        )
    contents = {VALUES: values, FACTS: facts, CARD: card.encode()}
    with atomic_folder(folder, contents, calls) as temporary:
        for name, content in contents.items():
            with calls.open(temporary / name) as handle:
                calls.write(handle, content)


def read(folder: str | Path) -> tuple[ModelFile, dict[str, Array]]:
    """Read facts and arrays of a saved model; refuse what is not one."""
    return read_whole(folder, _read)


def _read(folder: Path) -> tuple[ModelFile, dict[str, Array]]:
    _check_is_model(folder)
    model = _read_facts(folder / FACTS)
    path = folder / VALUES
    if path.stat().st_size > _LARGEST_VALUES:
        raise BadFile(f"{path} is larger than any model this reads.")
    values = files.read_bounded(path, path.stat().st_size)
    try:
        whole = model.digest(values) == model.sha256
    except ValueError:  # A number such as 1e999 is read as infinite.
        raise BadFile(f"{folder / FACTS} holds a number that is not finite.") from None
    if not whole:
        raise BadFile(f"{folder} is damaged: its content differs from what was saved.")
    return model, _arrays(path, values)


def _check_is_model(folder: Path) -> None:
    if not files.existing(folder).is_dir():
        raise BadFile(f"{folder} is a file; a model is a folder that holds {FACTS}.")
    for name in (FACTS, VALUES):
        if not (folder / name).is_file():
            raise BadFile(f"{folder} is not a saved model: it holds no {name}.")


def _read_facts(path: Path) -> ModelFile:
    raw = files.read_bounded(path, _LONGEST_JSON)
    try:
        content = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        raise BadFile(f"{path} is not valid JSON: {error}.") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise BadFile(f"{path} does not describe a model of mipl.")
    if content.get("version") != _VERSION:
        raise BadFile(
            f"{path} has version {str(content.get('version'))[:20]}; this mipl reads "
            f"version {_VERSION}: install the mipl that saved it."
        )
    try:
        return ModelFile.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))[:60]
        raise BadFile(f"{path} is damaged at {where!r}: {first['msg']}.") from None


def _arrays(path: Path, values: bytes) -> dict[str, Array]:
    try:
        arrays: dict[str, Array] = load(values)
    except (SafetensorError, KeyError, TypeError, ValueError):
        raise BadFile(f"{path} is not a readable safetensors file.") from None
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
            raise BadFile(f"array {name[:60]!r} in {path} holds no finite numbers.")
    return arrays


def as_model(**parts: Any) -> ModelFile:
    """Return the content of ``model.json``; refuse values that JSON cannot hold."""
    try:
        return ModelFile.model_validate(parts)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise MiplError(
            f"the model cannot be saved: {where} is not a plain value ({first['msg']})."
        ) from None
