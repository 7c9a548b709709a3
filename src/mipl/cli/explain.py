"""``mipl explain``: why a model says what it says about one bag."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mipl.cli.marks import Marks, show_text
from mipl.cli.model_options import DataSeed, ModelFolder, NewPictures, Table
from mipl.cli.options import FalseLabels, Json, NameOrPath, Raw, Settings
from mipl.cli.output import pairs, say, show, show_json, table, title
from mipl.cli.own_files import Own, run_own
from mipl.runs.named_values import given_options

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from mipl.data.bags import Bags
    from mipl.reports.slide_map import Backdrop
    from mipl.runs.explanation import Explanation

_MOST_ROWS = 20
_SMALL = 30  # Instances that a bar each can show.
_EXAMPLES = 3


def explain(
    model: ModelFolder,
    data: NameOrPath,
    bag: Annotated[str, typer.Option(help="The id of a bag, or its number from 0.")],
    plot: Annotated[
        Path | None, typer.Option(help="Draw a picture, .png, .svg or .pdf.")
    ] = None,
    overlay: Annotated[
        Path | None,
        typer.Option(
            help="Draw the weights over the bag's own picture, or the spectrogram of "
            "its recording, .png, .svg or .pdf."
        ),
    ] = None,
    audacity: Annotated[
        Path | None, typer.Option(help="Write a recording's label track, .txt.")
    ] = None,
    raven: Annotated[
        Path | None, typer.Option(help="Write a recording's selection table, .txt.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write a document with its marks, .html.")
    ] = None,
    slide: Annotated[
        Path | None,
        typer.Option(help="The slide, for --plot; read by tiffslide or OpenSlide."),
    ] = None,
    thumbnail: Annotated[
        Path | None, typer.Option(help="A picture of the whole slide, for --plot.")
    ] = None,
    slide_size: Annotated[
        str | None,
        typer.Option(metavar="WxH", help="Pixels of the slide, for --thumbnail."),
    ] = None,
    mpp: Annotated[
        float | None, typer.Option(min=1e-6, help="Microns per pixel of the slide.")
    ] = None,
    geojson: Annotated[
        Path | None, typer.Option(help="Write the tiles for QuPath, .geojson.")
    ] = None,
    top: Annotated[
        int | None, typer.Option(min=1, help="Only so many instances in files.")
    ] = None,
    out: Table = None,
    generator: NewPictures = None,
    r: FalseLabels = None,
    data_seed: DataSeed = None,
    raw: Raw = None,
    settings: Settings = None,
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Show attention per instance, candidate weights and margin of one bag.

    Of new pictures and slides any class may be true: all are candidates. --plot draws
    large bags where they lie: on the slide, or along the recording.
    """
    from mipl.cli.generators import new_items
    from mipl.cli.tables import check_table_name, write_table
    from mipl.files import together, write_text
    from mipl.reports.geojson import geojson as as_geojson
    from mipl.reports.plots import check_picture_name, save
    from mipl.runs.explanation import explain
    from mipl.runs.folder import open_model
    from mipl.runs.instance_places import places_of
    from mipl.runs.source import Source

    run_own(own)
    if plot is not None:
        check_picture_name(plot)
    marks = Marks(overlay, audacity, raven, page)
    marks.check()
    if out is not None:
        check_table_name(out)
    view = View(slide, thumbnail, slide_size, mpp)
    lone_top = top is not None and out is None and not marks.shortened_by_top()
    view.check(plot, geojson, lone_top)
    opened = open_model(model)
    options = given_options(settings or ())
    source = opened.source(Source(data, r, data_seed, raw, options))
    items = new_items(opened, source, generator)
    if items is not None:
        dataset = items.dataset()
    elif source.unlabelled():
        dataset = source.open_dataset(opened.model.classes_, bag)
    else:
        dataset = source.dataset()
    told = explain(opened.model, dataset, bag_number(dataset.bags, bag))
    _spare_originals(dataset.bags, plot, geojson, out, *marks.paths())
    with together():
        if plot is not None:
            save(view.figure(told), plot)
        if geojson is not None:
            places = places_of(told.bag, told.facts)
            write_text(geojson, as_geojson(told, places, top, view.microns()))
        marks.write(told, top)
        if out is not None:
            write_table(out, {n: values[:top] for n, values in told.columns().items()})
    if as_json:
        show_json(told.as_dict())
    else:
        written = [path for path in (plot, geojson, out) if path is not None]
        _show(told, [str(path) for path in [*written, *marks.paths()]])
        show_text(told)


@dataclass(frozen=True)
class View:
    """What a map is drawn on, as the options tell."""

    slide: Path | None
    thumbnail: Path | None
    size: str | None
    mpp: float | None

    def check(self, plot: Path | None, geojson: Path | None, lone_top: bool) -> None:
        """Refuse options that nothing would come of."""
        from mipl.errors import MiplError

        if self.slide is not None and self.thumbnail is not None:
            raise MiplError("--slide and --thumbnail exclude each other; give one.")
        if plot is None and (self.slide or self.thumbnail):
            raise MiplError("--slide and --thumbnail are drawn by --plot; give it.")
        if self.size is not None and self.thumbnail is None:
            raise MiplError("--slide-size goes with --thumbnail; leave it out.")
        if self.mpp is not None and plot is None and geojson is None:
            raise MiplError("--mpp goes with --plot and --geojson; leave it out.")
        if lone_top and geojson is None:
            raise MiplError(
                "--top shortens what --out, --geojson, --audacity and --raven write; "
                "give one."
            )
        if geojson is not None and geojson.suffix.lower() not in (".geojson", ".json"):
            raise MiplError(
                f"a file for QuPath must end in .geojson; got {geojson.name!r}."
            )

    def microns(self) -> float | None:
        """Return microns per pixel, as told or as the slide says."""
        from mipl.images.slides import Slide

        if self.mpp is None and self.slide is not None:
            return Slide(self.slide).mpp
        return self.mpp

    def figure(self, told: Explanation) -> Figure:
        """Draw a bag: large ones where they lie, if that is known."""
        from mipl.reports.bag_plots import draw_explanation
        from mipl.reports.slide_map import draw_map, draw_track
        from mipl.runs.instance_places import places_of

        seen = self.slide is not None or self.thumbnail is not None
        large = told.bag.n_instances > _SMALL and told.bag.coords is not None
        if not seen and (not large or told.bag.instance_shape is not None):
            return draw_explanation(told)
        places = places_of(told.bag, told.facts)
        if places.in_time and not seen:
            return draw_track(told, places)
        return draw_map(told, places, self._backdrop(told))

    def _backdrop(self, told: Explanation) -> Backdrop:
        from mipl.images.slides import Slide, read_thumbnail
        from mipl.reports.slide_map import Backdrop

        if self.slide is not None:
            return Backdrop.of_slide(Slide(self.slide), self.mpp)
        if self.thumbnail is None:
            return Backdrop(mpp=self.mpp)
        return Backdrop(read_thumbnail(self.thumbnail), self._size(told), self.mpp)

    def _size(self, told: Explanation) -> tuple[float, float]:
        """Return the size of the slide that a thumbnail shows."""
        from mipl.errors import MiplError

        known = told.facts.get("slide_sizes", {})
        ids = told.bag.bag_ids
        if self.size is None and ids is not None and str(ids[0]) in known:
            width, height = known[str(ids[0])]
            return float(width), float(height)
        width, _, height = (self.size or "").lower().partition("x")
        if not (width.isdecimal() and height.isdecimal() and int(width) * int(height)):
            got = "" if self.size is None else f"; got {self.size!r}"
            raise MiplError(
                "how large the slide of the thumbnail is must be known; give its "
                f"pixels at full size as --slide-size WxH{got}."
            )
        return float(width), float(height)


def bag_number(bags: Bags, name: str) -> int:
    """Return the number of the bag that a user calls by its id or number."""
    from difflib import get_close_matches

    from mipl.errors import MiplError

    ids = [] if bags.bag_ids is None else [str(one) for one in bags.bag_ids]
    if name in ids:
        return ids.index(name)
    if name.isdecimal() and int(name) < len(bags):
        return int(name)
    close = get_close_matches(name, ids, n=1)
    guess = f"did you mean {close[0]!r}? " if close else ""
    known = (
        f"ids such as {', '.join(ids[:_EXAMPLES])}, or numbers" if ids else "numbers"
    )
    raise MiplError(
        f"there is no bag {name!r}; {guess}bags are named by {known} 0 to "
        f"{len(bags) - 1}."
    )


def _spare_originals(bags: Bags, *drawn: Path | None) -> None:
    """Refuse to write into a file that a bag was made of."""
    from mipl.errors import MiplError

    originals = set() if bags.uris is None else {str(uri) for uri in bags.uris}
    for path in drawn:
        if path is not None and {str(path.absolute()), str(path.resolve())} & originals:
            raise MiplError(
                f"{path} is a file that the bags were made of; name another file."
            )


def _show(told: Explanation, written: list[str]) -> None:
    rows = {
        "predicted": f"{told.predicted} (p = {told.p.max():.3f})",
        "best candidate": f"{told.disambiguated} (weight {told.weights.max():.3f})",
        "margin": f"{told.margin:+.3f}" + ("  violated" if told.margin < 0 else ""),
    }
    if told.label is not None:
        rows["true class"] = str(told.label)
    show(title(told.name), pairs(rows), "", title("classes"), _classes(told))
    n = told.bag.n_instances
    note = f"the first {_MOST_ROWS} of {n}" if n > _MOST_ROWS else f"{n}"
    show("", title("instances", f"{note}, {told.ordered_by}"), _instances(told))
    if written:
        show("")
        say("written", ", ".join(written))


def _classes(told: Explanation) -> RenderableType:
    rows = zip(told.classes, told.p, told.candidates, told.weights, strict=True)
    return table(
        ["class", "probability", "candidate", "weight"],
        [
            [name, f"{p:.3f}", "yes" if inside else "", f"{w:.3f}" if inside else ""]
            for name, p, inside, w in rows
        ],
    )


def _instances(told: Explanation) -> RenderableType:
    columns = told.columns()
    rows = zip(
        *(values[:_MOST_ROWS].tolist() for values in columns.values()), strict=True
    )
    return table(
        list(columns),
        [[f"{c:.4f}" if isinstance(c, float) else c for c in row] for row in rows],
    )
