"""``mipl evaluate``: figures of a model on bags it was not trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mipl.cli.model_options import DataSeed, Fold, ModelFolder
from mipl.cli.options import FalseLabels, Json, NameOrPath, Raw, Settings
from mipl.cli.output import say, show, show_json, table, title, warn
from mipl.cli.own_files import Own, run_own
from mipl.errors import counted
from mipl.plain_text import plain
from mipl.runs.named_values import given_options

if TYPE_CHECKING:
    from rich.console import RenderableType

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
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Measure a model; by default on the bags of DATA that it has not seen."""
    from mipl.errors import MiplError
    from mipl.runs.evaluation import evaluate
    from mipl.runs.folder import open_model
    from mipl.runs.source import Source
    from mipl.runs.trained_on import choose_bags

    run_own(own)
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
            f"{chosen.seen} of these {counted(found.bags, 'bag')} were trained on; "
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
    say(data, f"{counted(found.bags, 'bag')}: {chosen.reason}")
    show(_figures(found), "", title("intervals", _drawn(found)))
    if found.truth is None:
        show("", title("no true labels", "only figures that need none are shown"))
    elif len(found.classes) <= _MOST_CLASSES:
        show("", title("confusion matrix", "true classes in rows"), _confusion(found))


def _figures(found: Evaluation) -> RenderableType:
    """Return a table of the figures with their intervals."""
    from rich.text import Text

    from mipl.reports.number_text import number

    def told(name: str, value: float | None, called: str = "") -> None:
        span = found.intervals.get(name) if value is not None else None
        between = "" if span is None else f"{number(span[0])} to {number(span[1])}"
        called = called or name.replace("_", " ")
        rows.append([Text(plain(called), "dim"), number(value), between])

    rows: list[list[object]] = []
    if found.truth is not None:
        told("accuracy", found.truth.accuracy)
        told("balanced_accuracy", found.truth.balanced_accuracy)
        told("macro_auroc", found.truth.macro_auroc, "macro AUROC")
        told("ece", found.truth.ece, "calibration error")
    sets = found.candidates
    told("covering_rate", sets.covering_rate)
    told("approximated_accuracy", sets.approximated_accuracy)
    told("log_likelihood", sets.log_likelihood, "candidate log-likelihood")
    told("margin_mean", sets.margin_mean, "label margin, mean")
    told("margin_std", sets.margin_std, "label margin, std")
    told("violation_rate", sets.violation_rate, "label margin violations")
    if found.all_negative_rate is not None:
        told("all_negative_rate", found.all_negative_rate, "every learner says no")
    if found.instances is not None:
        one = found.instances
        told(
            "instance_violation_rate", one.violation_rate, "instance margin violations"
        )
        told("attention_auroc", one.attention_auroc, "attention AUROC")
        told("score_auroc", one.score_auroc, "instance score AUROC")
    return table(["figure", "", "95% interval"], rows)


def _drawn(found: Evaluation) -> str:
    """Tell how the intervals came to be."""
    alike = None in found.intervals.values()
    none = "; none where all bootstraps are alike" if alike else ""
    if found.groups is None:
        told = "exact for shares of bags, 1,000 bootstraps over bags for the rest"
    else:
        told = f"1,000 bootstraps over {counted(found.groups, 'group')}"
    return told + none


def _confusion(found: Evaluation) -> Any:
    assert found.truth is not None
    names = [plain(name) for name in found.classes]
    rows = [
        [name, *counts]
        for name, counts in zip(names, found.truth.confusion, strict=True)
    ]
    return table([" ", *names], rows)
