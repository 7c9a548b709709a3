"""Loading a saved model, whatever method it is of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mipl.errors import BadFile, MiplError
from mipl.methods.catalogue import registry
from mipl.methods.catalogue.registered import registered
from mipl.methods.saving import model_file
from mipl.methods.saving.arguments import (
    FUNCTION,
    REGISTERED,
    class_path,
    from_json,
    modules,
)
from mipl.methods.saving.persist import Persistent
from mipl.methods.saving.stored import Stored
from mipl.parameters import parameters

if TYPE_CHECKING:
    from mipl.methods.bases.base import BagClassifier

_DEGRADED = "mipl.methods.wrappers.degraded:Degraded"
_ONE_VS_REST = "mipl.methods.wrappers.one_vs_rest:OneVsRest"
_ENSEMBLE = "mipl.methods.wrappers.ensemble:Ensemble"
_LEARNER = "mipl.methods.bases.bag_learner:BagLearner"
_PARTS = "mipl.parts"
# What files may name beside registered methods, and where it is; loaded on use.
_OTHERS = {
    "mipl.training.options:Training": "mipl.training.options:Training",
    _DEGRADED: _DEGRADED,
    _ONE_VS_REST: _ONE_VS_REST,
    _ENSEMBLE: _ENSEMBLE,
    _LEARNER: _LEARNER,
    # As files of version 0.1.0 name them.
    "mipl.methods.degraded:Degraded": _DEGRADED,
    "mipl.methods.one_vs_rest:OneVsRest": _ONE_VS_REST,
}
RUN_MODEL = "model"  # Where a run keeps its model.
# What building a network from absurd arguments may raise.
_FAILURES = (TypeError, ValueError, AttributeError, RuntimeError, OverflowError)


def load_model(
    folder: str | Path,
    encoder: Any = None,
    functions: Sequence[Callable[..., Any]] = (),
) -> BagClassifier:
    """Load a model that ``save`` has written.

    Only the classes of registered methods are built, and no code comes from the file;
    a method of one's own loads once it is registered.

    Parameters
    ----------
    folder : path
        Of ``save``, or of a run that ``mipl fit`` has written.
    encoder : torch.nn.Module, optional
        Needed where the model was trained with an encoder of the user's own: a module
        of the same build; its values come from the file.
    functions : sequence of functions, optional
        Needed where the model has functions of the user's own as parts, and no method
        is registered that has them: known by their names.

    Examples
    --------
    >>> import tempfile
    >>> from mipl import MIPLMA, Training, load_dataset
    >>> data = load_dataset("synthetic")
    >>> model = MIPLMA(training=Training(epochs=1)).fit(data.bags, data.candidates)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     model.save(f"{place}/model")
    ...     again = load_model(f"{place}/model")
    >>> bool((again.predict(data.bags) == model.predict(data.bags)).all())
    True
    """
    folder = _model_in(folder)
    model, arrays = model_file.read(folder)
    _check_encoder(folder, modules(model.method), encoder)
    stored = Stored(arrays, model.facts)
    try:
        known = partial(_known, functions=functions)
        estimator = from_json(dict(model.method), known, encoder)
        if not isinstance(estimator, Persistent):
            raise BadFile("it names no method.")
        estimator._check_arguments()  # type: ignore[attr-defined]
        estimator._restore(stored)
        stored.check_empty()
    except MemoryError:
        raise BadFile(f"{folder} asks for more memory than there is.") from None
    except _FAILURES as error:
        raise BadFile(f"{folder} cannot be loaded: {error}") from error
    return cast("BagClassifier", estimator)


def _model_in(folder: str | Path) -> str | Path:
    """Return the folder of the model itself, where that of a run is given."""
    inside = Path(folder) / RUN_MODEL
    try:
        of_run = not (Path(folder) / model_file.FACTS).exists() and inside.is_dir()
    except (OSError, ValueError):  # No path: reading it tells why.
        return folder
    return inside if of_run else folder


def _known(path: str, functions: Sequence[Callable[..., Any]]) -> Any:
    """Return a class that a model file may name, or a function that is at hand."""
    if path.startswith(FUNCTION):
        return _function(path.removeprefix(FUNCTION), functions)
    if path.startswith(_PARTS):
        return _part(path)
    if path in _OTHERS:
        module, name = _OTHERS[path].split(":")
        found: type[Any] = getattr(import_module(module), name)
        return found
    for row in registry.methods():
        if row.path == path and not row.fault:
            return row.load()
    if path.startswith(REGISTERED):
        id, _, name = path.removeprefix(REGISTERED).partition(":")
        raise BadFile(
            f"it is of {id[:80]!r}, which is not a registered method here; run what "
            f"calls mipl.register({name[:80]}, id={id[:80]!r}) before, or give its "
            "file as --with FILE.py."
        )
    raise BadFile(
        f"its class {path[:80]!r} is not a registered method; install the package that "
        "brings it, or mipl.register the class and save anew."
    )


def _part(path: str) -> type[Any]:
    """Return a part of a ``BagLearner``, one of those that are public."""
    parts = import_module(_PARTS)
    name = path.partition(":")[2]
    found = getattr(parts, name) if name in parts.__all__ else None
    if not isinstance(found, type) or class_path(found) != path:
        raise BadFile(f"its part {path[:80]!r} is unknown to this version.")
    return found


def _function(name: str, given: Sequence[Callable[..., Any]]) -> Any:
    """Return the function of a name: one that is given, or of a registered method."""
    rows = registered()
    owned = [value for row in rows for value in row.arguments.values()]
    owned += [p.default for row in rows for p in parameters(row.load()).values()]
    several = [
        one
        for value in (*given, *owned)
        for one in (value if isinstance(value, (list, tuple)) else [value])
    ]
    for one in several:
        if callable(one) and getattr(one, "__name__", None) == name:
            return one
    name = name[:80]
    raise BadFile(
        f"a part of it is the function {name!r} of its author's own, of what is not a "
        "registered method here; register the method that has it before, or give it: "
        f"load_model(folder, functions=[{name}])."
    )


def _check_encoder(folder: str | Path, own: list[str], encoder: Any) -> None:
    if own and encoder is None:
        raise MiplError(
            f"{folder} was trained with an encoder of your own, {own[0][:80]}; give a "
            "module of the same build: load_model(folder, encoder=...)."
        )
    if encoder is not None and not own:
        raise MiplError(
            f"{folder} was trained with an encoder of this library; leave encoder out."
        )
