"""A person at the queue and before a bag: answers, models and runs side by side."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from mipl import Run, load_dataset, read_dataset, write_dataset
from mipl.page.pairs import pairs
from mipl.page.workspace import Workspace

FEW = {"training__epochs": 2}


def judged(axe: str, guest) -> list[str]:
    """What a screen has against WCAG A and AA, and whether it is too wide."""
    # Quasar's own bar, which has no name, is there while a picture is loaded.
    guest.page.wait_for_function(
        "![...document.querySelectorAll('.q-loading-bar')]"
        ".some(bar => getComputedStyle(bar).opacity > 0)"
    )
    guest.page.evaluate(axe)
    rules = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}"
    found = guest.page.evaluate(f"axe.run(document, {rules})")["violations"]
    nodes = [f"{one['id']}: {node['html']}" for one in found for node in one["nodes"]]
    wide = "document.documentElement.scrollWidth > innerWidth"
    return [*nodes, *(["too wide"] if guest.page.evaluate(wide) else [])]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_contrast_and_names_are_good_at_both_widths(visit, axe, work, mode):
    one, other = pairs(work)[:2]
    guest = visit(work.folder, color_scheme=mode)
    beside = f"/explain/{one.data.id}/{one.run.id}/3?with={other.run.id}"
    for path, shows in (
        (f"/review/{one.data.id}/{one.run.id}", ".choice"),
        (beside, ".explained >> nth=1"),
        (f"/predict/{one.run.id}/{one.data.id}", "table"),
        ("/compare", ".chart"),
    ):
        guest.go(path, shows)
        for width in (1280, 800):
            guest.page.set_viewport_size({"width": width, "height": 860})
            assert judged(axe, guest) == [], (path, width)
    guest.leave()


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("walk") / "work")
    write_dataset(load_dataset("digits-mipl", r=3), workspace.new_dataset("digits"))
    within, here = workspace.datasets()[0].within, Path.cwd()
    os.chdir(workspace.folder)
    for name in ("first", "second"):
        Run("miplma", within, FEW, split=0).execute(workspace.new_run(name))
    os.chdir(here)
    return workspace


def test_a_queue_is_answered_by_keys_and_trained_with(visit, work):
    one = pairs(work)[0]
    guest = visit(work.folder)
    guest.go("/review", "table")
    guest.page.get_by_role("link", name=one.run.name).first.click()
    guest.page.wait_for_selector(".choice")
    first = guest.page.locator(".review .h2").first.inner_text()
    assert first.startswith("1. Bag ")
    guest.page.keyboard.press("1")
    guest.sees("2. Bag ")
    guest.sees("1 of 175 questions answered")
    guest.page.locator(".choice").first.get_by_role("button", name="Remove").click()
    guest.sees("removed")
    guest.press("Undo")
    guest.page.wait_for_function(
        "!document.querySelector('.review').innerText.includes('removed')"
    )
    guest.page.keyboard.press("s")
    guest.sees("3. Bag ")
    guest.page.reload()
    guest.sees("3. Bag ")
    guest.sees("2 of 175 questions answered")
    [review] = (work.folder / "reviews").iterdir()
    lines = (review / "answers.jsonl").read_text().splitlines()
    kinds = [json.loads(line)["kind"] for line in lines]
    assert kinds == ["set", "set", "undo", "skip"]
    with guest.page.expect_download() as saved:
        guest.press("Save as a label table")
    assert saved.value.suggested_filename == "digits-labels.csv"
    guest.press("Train again with these")
    guest.page.wait_for_url("**/job/*")
    new = read_dataset(work.folder / "data" / "digits-answered.bags.h5")
    assert sorted(new.candidates.sizes)[:2] == [1, 4]
    guest.sees("What the answers changed")
    guest.page.get_by_text("1, 1 of them one class").wait_for()
    guest.leave()


def test_a_bag_by_two_models(visit, work):
    one, other = [p for p in pairs(work) if p.data.name == "digits"][:2]
    guest = visit(work.folder)
    where = (
        f"/explain/{one.data.id}/{one.run.id}/3?with={other.run.id}&scale=percentile"
    )
    guest.go(where, ".explained >> nth=1")
    guest.sees("Attention (percentile), the most attended first")
    guest.sees("Most similar training bags")
    guest.sees("train again with 'Record the label weights'")
    guest.page.wait_for_function(
        "[...document.images].every(i => i.complete && i.naturalWidth > 0)"
    )
    guest.go(f"/explain/{one.data.id}/{one.run.id}/999", ".failed")
    guest.sees("has 250 bags; got 999")
    guest.leave()


def test_predictions_and_runs_side_by_side(visit, work, tmp_path):
    one = pairs(work)[-1]
    guest = visit(work.folder)
    guest.go(f"/predict/{one.run.id}", "table")
    guest.page.get_by_role("link", name="digits", exact=True).click()
    guest.sees("1 to 50 of 250")
    guest.go(f"/predict/{one.run.id}", ".drop")
    given = np.random.default_rng(0).uniform(size=(4, 64)).astype(np.float32)
    np.save(tmp_path / "new.npy", given)
    guest.page.set_input_files("input[data-kind=files]", tmp_path / "new.npy")
    guest.page.wait_for_url("**/draft/*")
    guest.page.get_by_role("cell", name="new", exact=True).wait_for()
    guest.page.reload()
    guest.page.get_by_role("link", name="new", exact=True).click()
    guest.page.get_by_role("heading", name="Why ").wait_for()
    guest.page.get_by_role("img", name="Attention of 4 instances, raw").wait_for()
    guest.go(f"/predict/{one.run.id}/{one.data.id}", "table")
    with guest.page.expect_download() as saved:
        guest.press("Download the table")
    assert saved.value.suggested_filename == "digits-predictions.csv"
    guest.go("/compare?sort=accuracy&find=first", "table")
    guest.sees("Confusion of first")
    guest.sees("No two settings were run on two common splits.")
    with guest.page.expect_download() as saved:
        guest.press("Download the table")
    assert saved.value.suggested_filename == "runs.csv"
    with guest.page.expect_download() as saved:
        guest.press("Markdown")
    assert saved.value.suggested_filename == "runs.md"
    assert Path(saved.value.path()).read_text().startswith("| method |")
    guest.leave()
