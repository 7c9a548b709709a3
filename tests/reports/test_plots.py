import sys
import warnings
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from mipl import Bags, Dataset, MiplError, load_dataset
from mipl.data.describe import describe
from mipl.errors import MissingExtra
from mipl.reports import plots
from mipl.reports.bag_plots import draw_bag, draw_explanation
from mipl.reports.demo_page import write_demo_page
from mipl.reports.html import render
from mipl.reports.plots import as_svg, draw_curves, save
from mipl.runs.demo import demo_runs
from mipl.runs.explanation import Explanation


def told(shape, n=5, attention=None, **changes) -> Explanation:
    rng = np.random.default_rng(0)
    size = int(np.prod(shape)) if shape else 4
    bag = Bags([rng.random((n, size))], instance_shape=shape)
    found = Explanation(
        name="bag 0",
        bag=bag,
        classes=np.array(["a", "b", "c"]),
        p=np.array([0.7, 0.2, 0.1]),
        candidates=np.array([True, False, True]),
        weights=np.array([0.875, 0, 0.125]),
        margin=0.5,
        label="a",
        attention=np.full(n, 1 / n) if attention is None else attention,
        rank=np.linspace(0, 1, n),
        class_scores=np.full((n, 3), 0.5),
    )
    return replace(found, **changes)


def drawn_images(figure) -> int:
    return sum(len(axis.images) for axis in figure.axes)


@pytest.mark.parametrize("shape", [(1, 8, 8), (3, 6, 4), (5, 7)])
def test_images_are_drawn_as_images(shape) -> None:
    assert drawn_images(draw_explanation(told(shape))) == 5
    assert drawn_images(draw_bag([("one", told(shape)), ("two", told(shape))])) == 10


@pytest.mark.parametrize("shape", [None, (4,), (2, 3, 3)])
def test_all_else_is_drawn_as_bars(shape) -> None:
    figure = draw_explanation(told(shape))
    assert drawn_images(figure) == 0
    widths = sorted(bar.get_width() for bar in figure.axes[0].patches)
    np.testing.assert_allclose(widths, [0.2] * 5)


def test_bars_are_the_attention_and_classes_the_probabilities() -> None:
    a = np.array([0.1, 0.6, 0.0, 0.05, 0.25])
    figure = draw_explanation(told(None, attention=a))
    drawn = [bar.get_width() for bar in figure.axes[0].patches]
    np.testing.assert_allclose(drawn, np.sort(a)[::-1])
    shown = [bar.get_width() for bar in figure.axes[1].patches]
    np.testing.assert_allclose(shown, [0.7, 0.2, 0.1])
    assert "0.700" in figure.get_suptitle() and "+0.500" in figure.get_suptitle()


def test_large_bags_are_cut_and_the_headline_says_so() -> None:
    figure = draw_explanation(told((1, 3, 3), n=200))
    assert drawn_images(figure) == 40 and "40 of 200" in figure.get_suptitle()


@pytest.mark.parametrize(
    "changes",
    [
        {"attention": np.zeros(1), "rank": None},
        {"attention": np.array([-2.0])},
        {"attention": None, "class_scores": np.array([[0.5, 0.3, 0.2]])},
        {"label": None},
    ],
)
def test_one_instance_and_odd_weights(changes) -> None:
    for shape in ((1, 4, 4), None):
        picture = as_svg(draw_explanation(replace(told(shape, n=1), **changes)))
        assert "<svg" in picture and "nan" not in picture.lower()


def test_a_method_without_any_weights_is_told() -> None:
    with pytest.raises(MiplError, match="no weights; nothing to draw"):
        draw_explanation(replace(told(None), attention=None, class_scores=None))


def test_names_cannot_break_out_of_a_picture() -> None:
    evil = "</svg><script>alert(1)</script>"
    classes = np.array([evil, "b", "c"])
    text = as_svg(draw_explanation(replace(told(None), classes=classes, name=evil)))
    assert "<script" not in text
    ElementTree.fromstring(text)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_pictures_are_the_same_bytes_each_time(tmp_path, suffix) -> None:
    files = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for file in files:
        save(draw_explanation(told((1, 3, 3))), file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_curves_show_the_mean_over_runs() -> None:
    runs = [[{"loss": 4.0}, {"loss": 2.0}], [{"loss": 2.0}, {"loss": 1.0}, {"loss": 0}]]
    figure = draw_curves([("ours", runs)], [("loss", "training loss")])
    lines = figure.axes[0].get_lines()
    np.testing.assert_allclose(lines[-1].get_ydata(), [3, 1.5])
    assert [line.get_label() for line in lines][-1] == "ours" and len(lines) == 3


def test_curves_of_methods_are_told_apart_in_grey() -> None:
    histories = [(name, [[{"loss": 1.0}]]) for name in ("ours", "released", "paper")]
    [axis] = draw_curves(histories, [("loss", "")]).axes[:1]
    named = [one for one in axis.get_lines() if not one.get_label().startswith("_")]
    assert len({line.get_linestyle() for line in named}) == 3


def test_what_is_missing_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'pip install "mipl\[plot\]"'):
        draw_explanation(told(None))


def test_pages_escape_names(tmp_path) -> None:
    data = load_dataset("digits-mipl")
    evil = Dataset(data.bags, data.candidates, name="<script>alert(1)</script>")
    runs = list(demo_runs([0], ["paper"], workers=1, epochs=2))
    write_demo_page(tmp_path / "page.html", describe(evil), runs, 1.0)
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page and "&lt;script&gt;" in page


def test_an_unknown_value_of_a_template_is_an_error() -> None:
    with pytest.raises(Exception, match="undefined"):
        render("demo.html.j2", {})


def test_names_in_other_letters_are_drawn_without_warnings(tmp_path):
    named = told((5,), name="bag 0 ('\u540d\u524d')")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save(draw_explanation(named), tmp_path / "x.png")
        assert "\u540d\u524d" in as_svg(draw_explanation(named))


def test_fonts_for_other_letters_are_taken_where_they_are(monkeypatch):
    monkeypatch.setattr(plots, "_MORE_FONTS", ("No Such Font", "STIXGeneral"))
    with plots.drawing() as matplotlib:
        assert matplotlib.rcParams["font.family"] == ["sans-serif", "STIXGeneral"]
