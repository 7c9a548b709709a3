"""Text, CSV and HTML, and the choice among all formats."""

import csv
import re
from html.parser import HTMLParser

import pytest
from tests.reports.products import MEASURED, NASTY, PRODUCT

from mipl.paper.artefact import Product
from mipl.paper.panels import BarPanel, PanelGrid, Point
from mipl.reports.formats import FORMATS, save_pictures, written
from mipl.reports.paper_figures import draw
from mipl.reports.results_html import as_html


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_tells_the_figures_and_the_gaps(format):
    text = written([PRODUCT], format)
    assert ".802" in text
    assert "10 runs missing" in text or ",10," in text
    assert "10 diverged" in text or ",0,10," in text
    assert text.endswith("\n")


def test_an_unknown_format_is_named():
    with pytest.raises(ValueError, match=r"format.*'markdwon'.*markdown"):
        written([PRODUCT], "markdwon")


def test_text_has_no_trailing_blanks_and_all_notes():
    text = written([PRODUCT], "text")
    assert not [line for line in text.splitlines() if line != line.rstrip()]
    assert "A note: 100 % <honest>." in text
    assert NASTY.split(" & ")[0] in text
    assert "10 of 33 runs diverged, 18 of 33 runs are missing; mipl reproduce" in text


def test_csv_has_a_row_per_score():
    rows = list(csv.DictReader(written([PRODUCT], "csv").splitlines()))
    assert len(rows) == 5
    assert float(rows[0]["mean"]) == pytest.approx(MEASURED.cell.mean, abs=1e-6)
    assert (
        rows[0]
        | {
            "artefact": "small",
            "method": "miplma",
            "data": "sival-mipl",
            "splits": "3",
            "missing": "0",
            "published": "0.703",
            "best": "True",
        }
        == rows[0]
    )
    assert (rows[2]["mean"], rows[2]["missing"]) == ("", "10")
    assert (rows[3]["missing"], rows[3]["diverged"]) == ("0", "10")
    assert (rows[4]["MIPL win"], rows[4]["MIPL untested"]) == ("3", "6")


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.outside = []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("src", "href", "xlink:href") and value[:1] not in ("#", ""):
                self.outside += [value] if not value.startswith("data:") else []


def test_html_is_one_file_with_its_pictures():
    points = (Point(0.5, 0.1), Point(None, None))
    bars = BarPanel("SIVAL", ("r = 1", "r = 2"), (("ours <b>", points),))
    product = Product("fig", "A figure", (), (PanelGrid("fig", (bars,)),))
    page = written([PRODUCT, product], "html")
    links = Links()
    links.feed(page)
    assert not links.outside
    assert page.count("<svg") == 1
    assert "<b>.802±.022 (3)</b>" in page
    assert "5 of 33 planned runs are done, 10 diverged; what is missing says" in page
    assert "<b>*c*" not in page and "&lt;b&gt;*c*" in page
    assert {"#small", "#fig"} <= set(re.findall(r'href="(#\w+)"', page))


def test_html_shows_no_picture_larger_than_it_was_drawn():
    """A figure of one small panel must not fill the page; a wide one may shrink."""
    points = (Point(0.5, 0.1), Point(0.6, 0.1))
    bars = BarPanel("SIVAL", ("r = 1", "r = 2"), (("ours", points),))
    pictures = (PanelGrid("one", (bars,)), PanelGrid("four", (bars,) * 4, 4))
    page = as_html([Product("fig", "A figure", (), pictures)])
    widths = re.findall(r'class="picture" style="max-width: (\d+)px"', page)
    drawn = [draw(picture).get_figwidth() * 96 for picture in pictures]
    assert [float(width) for width in widths] == pytest.approx(drawn, abs=1)
    assert drawn[0] < 500


def test_html_draws_curves():
    names = ("loss", "margin_mean", "margin_violation_rate", "resolved")
    history = [dict.fromkeys(names, 0.5) for _ in range(3)]
    curves = (("SIVAL-MIPL, r = 1", [("ours", [history])]),)
    page = as_html([Product("curves", "Curves", curves=curves)])
    assert "SIVAL-MIPL, r = 1" in page
    assert page.count("<svg") == 1


def test_pictures_are_written_by_name(tmp_path):
    bars = BarPanel("SIVAL", ("r = 1",), (("ours", (Point(0.5, 0.1),)),))
    product = Product("fig", "A figure", (), (PanelGrid("fig", (bars,)),))
    [path] = save_pictures([PRODUCT, product], tmp_path, "png")
    assert path.name == "fig.png"
    assert path.read_bytes()[:4] == b"\x89PNG"
