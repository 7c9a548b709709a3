"""Tables and pictures of results as values that show themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mipl.errors import MiplError, unknown
from mipl.files import write_text
from mipl.paper.artefact import Product
from mipl.paper.panels import PanelGrid
from mipl.paper.result_figures import result_figure
from mipl.paper.result_table import TableRequest, result_table
from mipl.paper.sheet import Sheet
from mipl.paper.store_cells import ResultChoice
from mipl.reports.csv_text import as_csv
from mipl.reports.entry_text import entry_text
from mipl.reports.html import render
from mipl.reports.latex import as_latex_tabular
from mipl.reports.markdown import sheet_lines
from mipl.reports.paper_figures import draw
from mipl.reports.plots import as_svg, check_picture_name, save
from mipl.runs.store import Store

Names = str | Sequence[str]


@dataclass(frozen=True, eq=False)
class ResultTable:
    """A table of results, in any format; a notebook shows it as it is.

    Attributes
    ----------
    product : Product
        Its entries and notes, and the picture of ranks where there is one.
    """

    product: Product

    @property
    def sheet(self) -> Sheet:
        """Heads, rows of entries, notes."""
        return self.product.sheets[0]

    def text(self, format: str = "text") -> str:
        """Return it as text, Markdown, CSV, an HTML page, or LaTeX for a document."""
        if format not in WRITERS:
            raise unknown("format of a table", format, WRITERS)
        return WRITERS[format](self.product)

    def save(self, path: str | Path, format: str | None = None) -> None:
        """Write it to a file, in the format that its name tells: .tex, .md, .csv ..."""
        write_text(path, self.text(format_of(format, Path(path)) or "text"))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return render("notebook_table.html.j2", {"sheet": shown(self.sheet)})


def results_table(
    store: Store | str | Path,
    rows: Names = "method",
    columns: Names | None = None,
    *,
    test: str | None = None,
    methods: Names | None = None,
    data: Names | None = None,
    r: int | Sequence[int] | None = None,
    splits: Sequence[int] | None = None,
    figure: str = "accuracy",
    titles: Mapping[str, str] | None = None,
    paired: bool = True,
    corrected: bool = True,
) -> ResultTable:
    """Return a table of what a store of results holds.

    Parameters
    ----------
    store : Store or path
    rows, columns : "method", "data", "r" or names of arguments, one or several
        Where no columns are given, data sets, with r where there are several.
    test : str, optional
        A method that all others are compared with, by t-tests.
    methods : ids, or ids with arguments, such as ``'miplma {"lam": 2.0}'``
        All by default; of an id alone its settings as published, its defaults where
        nothing was, or the setting most often run.
    data, r, splits : optional
        Which of them.
    figure : str
        "accuracy", "seconds" or one that ``mipl runs show`` lists.
    titles : mapping of ids and data sets to what they are called, optional
    paired, corrected : bool
        Whether tests take differences split by split, and p-values are Holm's.

    Examples
    --------
    >>> import tempfile
    >>> from mipl import Run
    >>> from mipl.runs.runner import run_plan
    >>> few = {"training__epochs": 1}
    >>> plan = [Run("miplma", "digits-mipl", few, split=split) for split in range(2)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(f"{folder}/results.db", create=True)
    ...     _ = run_plan(plan, store)
    ...     table = results_table(store)
    >>> print(table.text("markdown").splitlines()[0])
    | method | Digits-MIPL |
    """
    choice = _choice(methods, data, r, splits, figure, titles)
    request = TableRequest(
        names_of(rows) or (), names_of(columns), choice, test, paired, corrected
    )
    return ResultTable(result_table(opened(store), request))


@dataclass(frozen=True, eq=False)
class ResultPlot:
    """A picture of results; a notebook shows it as it is.

    Attributes
    ----------
    picture : PanelGrid
        What is drawn, as numbers.
    """

    picture: PanelGrid

    def save(self, path: str | Path) -> None:
        """Write it to a .pdf, .svg or .png file."""
        check_picture_name(path)
        save(draw(self.picture), path)

    def _repr_svg_(self) -> str:
        return as_svg(draw(self.picture))


def results_plot(
    store: Store | str | Path,
    kind: str,
    argument: str | None = None,
    *,
    test: str | None = None,
    methods: Names | None = None,
    data: Names | None = None,
    r: int | Sequence[int] | None = None,
    splits: Sequence[int] | None = None,
    figure: str = "accuracy",
    titles: Mapping[str, str] | None = None,
) -> ResultPlot:
    """Return a picture of what a store of results holds.

    Parameters
    ----------
    store : Store or path
    kind : "bars", "curves", "sweep", "ranks", "reliability" or "confusion"
        Ranks are the diagram of critical differences.
    argument : str, optional
        What a sweep follows ("lam", "training.lr"), or the curve to draw ("loss").
    test : str, optional
        The method that stands first.
    methods, data, r, splits, figure, titles : optional
        As ``results_table`` takes them.
    """
    choice = _choice(methods, data, r, splits, figure, titles)
    request = TableRequest(choice=choice, test=test)
    return ResultPlot(result_figure(opened(store), kind, request, argument))


def _choice(
    methods: Names | None,
    data: Names | None,
    r: int | Sequence[int] | None,
    splits: Sequence[int] | None,
    figure: str,
    titles: Mapping[str, str] | None,
) -> ResultChoice:
    return ResultChoice(
        names_of(methods),
        names_of(data),
        _numbers(r),
        _numbers(splits),
        figure,
        titles=dict(titles or {}),
    )


def format_of(format: str | None, path: Path | None) -> str | None:
    """Return the format that is given, or told by a file's name; None for neither.

    Examples
    --------
    >>> format_of(None, Path("table.tex")), format_of("csv", None)
    ('latex', 'csv')
    """
    if format is not None and format not in WRITERS:
        raise unknown("format of a table", format, WRITERS)
    if format is not None or path is None:
        return format
    if path.suffix.lower() not in FORMAT_OF:
        known = ", ".join(FORMAT_OF)
        raise MiplError(f"a table must end in {known}; got {path.name!r}.")
    return FORMAT_OF[path.suffix.lower()]


def opened(store: Store | str | Path) -> Store:
    """Return a store, opened where its path is given."""
    return store if isinstance(store, Store) else Store(store)


def names_of(value: Names | None) -> tuple[str, ...] | None:
    """Return one name or several as several, None as it is."""
    return (value,) if isinstance(value, str) else None if value is None else (*value,)


def _numbers(value: int | Sequence[int] | None) -> tuple[int, ...] | None:
    return (value,) if isinstance(value, int) else None if value is None else (*value,)


def shown(sheet: Sheet) -> dict[str, object]:
    """Return what a page shows of a sheet."""
    rows = [[entry_text(entry) for entry in row] for row in sheet.rows]
    return {"heads": sheet.heads, "rows": rows, "notes": sheet.notes}


def _as_text(product: Product) -> str:
    # The only format that needs rich, which is optional.
    from mipl.reports.terminal import sheet_text  # noqa: PLC0415

    return sheet_text(product.sheets[0])


def _as_markdown(product: Product) -> str:
    return "\n".join(sheet_lines(product.sheets[0])) + "\n"


def _as_page(product: Product) -> str:
    return render(
        "result_table.html.j2",
        {"title": product.title, "sheet": shown(product.sheets[0])},
    )


WRITERS: Mapping[str, Callable[[Product], str]] = {
    "text": _as_text,
    "markdown": _as_markdown,
    "latex": lambda product: as_latex_tabular([product]),
    "html": _as_page,
    "csv": lambda product: as_csv([product]),
}
FORMAT_OF = {
    ".txt": "text",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".csv": "csv",
}
