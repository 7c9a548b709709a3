"""``mipl evaluate``: figures of a model on bags it was not trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mipl.cli.model_options import DataSeed, Fold, ModelFolder
from mipl.cli.options import FalseLabels, Json, NameOrPath, Raw, Settings
from mipl.cli.output import pairs, plain, say, show, show_json, table, title, warn
from mipl.runs.named_values import given_options

if TYPE_CHECKING:
    from mipl.runs.evaluation import Evaluation
    from mipl.runs.trained_on import Chosen

_MOST_CLASSES = 30  # A larger confusion matrix fits no screen; --json has it.


def evaluate(
    model: ModelFolder,
    data: NameOrPath,
    split: Fold = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All bags, those trained on included.")
    ] = False,
    r: FalseLabels = None,
    data_seed: DataSeed = None,
    raw: Raw = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Measure a model; by default on the bags of DATA that it has not seen."""
    from mipl.errors import MiplError
    from mipl.runs.evaluation import evaluate
    from mipl.runs.folder import open_model
    from mipl.runs.source import Source
    from mipl.runs.trained_on import choose_bags

    if everything and split is not None:
        raise MiplError("--split and --all exclude each other; give one.")
    opened = open_model(model)
    options = given_options(settings or ())
    source = opened.source(Source(data, r, data_seed, raw, options))
    dataset = source.dataset()
    chosen = choose_bags(dataset, opened.trained, split, everything)
    found = evaluate(opened.model, dataset[chosen.numbers])
    if chosen.seen:
        warn(
            f"{chosen.seen} of these {found.bags} bags were trained on; "
            "the figures flatter the model."
        )
    if as_json:
        show_json(
            {"data": data, "which": chosen.reason, "trained_on": chosen.seen}
            | found.as_dict()
        )
    else:
        _show(data, chosen, found)


def _show(data: str, chosen: Chosen, found: Evaluation) -> None:
    say(data, f"{found.bags} bags: {chosen.reason}")
    show(pairs(_figures(found)))
    if found.truth is None:
        show("", title("no true labels", "only figures that need none are shown"))
    elif len(found.classes) <= _MOST_CLASSES:
        show("", title("confusion matrix", "true classes in rows"), _confusion(found))


def _figures(found: Evaluation) -> dict[str, str]:
    from mipl.reports.number_text import number

    rows: dict[str, str] = {}
    if found.truth is not None:
        low, high = found.truth.interval
        interval = f"(95% of bootstraps {low:.3f} to {high:.3f})"
        rows["accuracy"] = f"{number(found.truth.accuracy)} {interval}"
        rows["balanced accuracy"] = number(found.truth.balanced_accuracy)
        rows["macro AUROC"] = number(found.truth.macro_auroc)
        rows["calibration error"] = number(found.truth.ece)
    sets = found.candidates
    rows["covering rate"] = number(sets.covering_rate)
    rows["approximated accuracy"] = number(sets.approximated_accuracy)
    rows["candidate log-likelihood"] = number(sets.log_likelihood)
    rows["label margin"] = f"{number(sets.margin_mean)} ± {number(sets.margin_std)}"
    rows["label margin violations"] = number(sets.violation_rate)
    if found.all_negative_rate is not None:
        rows["every learner says no"] = number(found.all_negative_rate)
    if found.instances is not None:
        inside = found.instances
        rows["instance margin violations"] = number(inside.violation_rate)
        rows["attention AUROC"] = number(inside.attention_auroc)
        rows["instance score AUROC"] = number(inside.score_auroc)
    return rows


def _confusion(found: Evaluation) -> Any:
    assert found.truth is not None
    names = [plain(name) for name in found.classes]
    rows = [
        [name, *counts]
        for name, counts in zip(names, found.truth.confusion, strict=True)
    ]
    return table([" ", *names], rows)
