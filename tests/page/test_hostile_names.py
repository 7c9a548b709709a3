"""Names of data are text wherever they are shown, whoever wrote them."""

import os
from pathlib import Path

import numpy as np
import pytest

from mipl import Bags, Dataset, Run, write_dataset
from mipl.page.workspace import Workspace

HOSTILE = [
    "<script>window.hit=1</script>",
    "<img src=x onerror='window.hit=1'>",
    '"><svg onload=window.hit=1>',
    "javascript:window.hit=1",
    "{{constructor.constructor('window.hit=1')()}}",
    "${window.hit=1}",
    "`+(window.hit=1)+`",
    "</script><script>window.hit=1</script>",
    "<iframe srcdoc='<script>parent.hit=1</script>'>",
    "<style>*{display:none}</style>",
    "<b>bold</b>",
    "<a href='javascript:window.hit=1'>x</a>",
    "' onmouseover='window.hit=1",
    "&lt;script&gt;",
    "\u202egnp.exe",
    "a\u0000b",
    "\x1b[31mred",
    "=HYPERLINK(1)",
    "дуб 櫟 بلوط",
    "a" * 5000,
    "<!--",
    "]]>",
    "%3Cscript%3E",
    "\\u003cscript\\u003e",
    "</div></main><h1>gone",
]
HOSTILE += [f"<x{i} onclick=window.hit=1 style=position:fixed>" for i in range(25)]


NAMES = [name.replace("\0", "\x07") for name in HOSTILE]
# What would be there if a name were markup.
MARKUP = (
    "[...document.querySelectorAll('#content script, #content iframe, #content "
    "style, #content b, #content [onclick], #content [onerror], #content [onload], "
    "#content [onmouseover], #content svg, a[href^=javascript]')].length"
)


@pytest.fixture(scope="module")
def work(tmp_path_factory) -> Workspace:
    """A workspace of hostile names, and two models that learnt from them."""
    workspace = Workspace(tmp_path_factory.mktemp("hostile") / "work")
    sets = [{name, NAMES[(i + 1) % 50]} for i, name in enumerate(NAMES)]
    rng = np.random.default_rng(0)
    bags = Bags(list(rng.normal(size=(50, 3, 4))), bag_ids=NAMES)
    data = Dataset(
        bags, sets, labels=NAMES, groups=NAMES, name=HOSTILE[0], source=HOSTILE[1]
    )
    own = "<img src=x onerror=window.hit=1>.bags.h5"
    write_dataset(data, workspace.folder / own)
    (workspace.folder / "<svg onload=window.hit=1>.csv").write_text("a,b\n")
    here = Path.cwd()
    os.chdir(workspace.folder)
    (workspace.folder / "runs").mkdir()
    for name in ("<b onclick=window.hit=1>x<!-- b>", "<svg onload=window.hit=1>"):
        Run("miplma", own, {"training__epochs": 1}, split=0).execute(f"runs/{name}")
    os.chdir(here)
    return workspace


def walked(guest, screens: dict[str, str]) -> None:
    """Look at screens: nothing of a name is markup, and nothing of it was run."""
    for path, shows in screens.items():
        guest.go(path, shows)
        assert guest.page.evaluate(MARKUP) == 0, path
        assert guest.page.evaluate("window.hit") is None, path


def test_of_data(visit, work) -> None:
    assert len(set(NAMES)) == 50
    place = f"/data/{work.datasets()[0].id}"
    eve = visit(work.folder)
    screens = {
        "/": "text=Data sets",
        "/data": ".tile .figures",
        "/import": "text=svg onload",
        place: "text=Class balance",
        f"{place}/bags": ".table",
        f"{place}/bag/0": ".ways",
        f"{place}/bags?find=<i>window.hit=1</i>": "text=No such bag",
        "/train": "text=4. Begin",
    }
    walked(eve, screens)
    eve.go(f"{place}/bags", ".table")
    told = eve.page.locator(".table").inner_text()
    for name in ("<b>bold</b>", "{{constructor.constructor", "дуб 櫟 بلوط"):
        assert name in told
    assert not set("\x1b\u202e\x07") & set(told)
    eve.leave()


def test_of_models_and_what_they_tell(visit, work) -> None:
    data, (run, _) = work.datasets()[0].id, [one.id for one in work.runs()]
    [table] = [one.id for one in work.others()]
    eve = visit(work.folder)
    screens = {
        "/compare": "text=Confusion of <",
        "/explain": ".table",
        f"/explain/{data}/{run}/2?scale=rank": "text=Beside another model",
        "/review": ".table",
        f"/review/{data}/{run}?bag=<i>&by=<i>": ".choice",
        "/predict": ".table",
        f"/predict/{run}": "text=svg onload",
        f"/predict/{run}/{data}": ".table",
        f"/predict/{run}/{table}": ".failed",
    }
    walked(eve, screens)
    # Answers and exports take them as they are.
    eve.go(f"/review/{data}/{run}", ".choice")
    eve.page.locator(".choice .button.class").first.click()
    eve.page.get_by_text("1 of 35 questions answered").wait_for()
    assert eve.page.evaluate(MARKUP) == 0
    eve.go("/compare", ".chart")
    with eve.page.expect_download() as saved:
        eve.press("HTML")
    text = Path(saved.value.path()).read_text("utf-8")
    assert text.lower().startswith("<!doctype html>")
    assert "&lt;img src=x" in text and "<img src=x" not in text
    eve.leave()
