"""Walks of persons through the page, in a real browser."""

import signal
from pathlib import Path

import numpy as np
import pytest

from mipl import Run


def judged(axe: str, page) -> list[str]:
    """Return what a screen has against WCAG A and AA."""
    page.evaluate(axe)
    rules = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}"
    found = page.evaluate(f"axe.run(document, {rules})")
    return [
        f"{one['id']}: {node['target']} {node['html'][:120]}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def fits(page, width: int) -> None:
    """A window of another width: what is drawn anew is no wider, when it is drawn."""
    page.set_viewport_size({"width": width, "height": 860})
    root = "document.documentElement"
    page.wait_for_function(
        f"{root}.clientWidth <= {width} && {root}.scrollWidth <= {root}.clientWidth",
        timeout=10_000,
    )


def test_digits_from_an_empty_folder_to_a_trained_model(visit, axe, tmp_path) -> None:
    anna = visit(tmp_path / "new")
    page = anna.page
    anna.sees("Try it with digits")
    assert judged(axe, page) == []
    anna.press("Use the digits")
    anna.sees("Class balance")
    anna.sees("warning · constant-features")
    data = page.url
    page.reload()
    anna.sees("Class balance")
    anna.press("Train on it")
    anna.sees("miplma: about")
    epochs = page.get_by_label("epochs", exact=True)
    page.locator("summary", has_text="Optimisation").click()
    epochs.fill("12")
    anna.press("Train")
    page.wait_for_url("**/job/*")
    job = page.url
    # Another tab sees the same training, and closing this one does not end it.
    other = anna.tab()
    other.goto(job)
    page.close()
    other.get_by_text("Finished").wait_for()
    other.get_by_text("truth: accuracy").wait_for()
    run = tmp_path / "new/runs/digits-mipl-miplma"
    whole = Run(
        "miplma",
        str(tmp_path / "new/data/digits-mipl.bags.h5"),
        {"training__epochs": 12},
        split=0,
    )
    whole.execute(tmp_path / "whole")
    for name in ("model/model.safetensors", "history.json", "evaluation.json"):
        assert (run / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    anna.page = other
    # Each screen, light and dark, wide and narrow.
    bag = data.removeprefix(anna.server.address)
    screens = {
        "/": "text=Data sets",
        "/data": ".tile .figures",
        bag: "text=Class balance",
        f"{bag}/bags": ".table",
        f"{bag}/bag/3": ".sheet",
        f"{bag}/bag/3?show=table": ".table",
        "/import": "text=What is read",
        "/train": "text=4. Begin",
        job.removeprefix(anna.server.address): "text=Finished",
    }
    for path, shows in screens.items():
        anna.go(path, shows)
        for mode in ("light", "dark"):
            other.emulate_media(color_scheme=mode)
            other.wait_for_selector(f"body.body--{mode}")
            assert judged(axe, other) == [], (mode, path)
        for width in (1280, 800):
            fits(other, width)
    anna.leave()


@pytest.fixture
def slides(tmp_path: Path) -> Path:
    """A folder of features of slides, and a table of three annotators."""
    folder = tmp_path / "slides"
    folder.mkdir()
    rng = np.random.default_rng(0)
    names, rows = ("adenoma", "carcinoma", "normal"), []
    for i in range(30):
        true = i % 3
        tiles = rng.normal(size=(int(rng.integers(3, 9)), 8)).astype(np.float32)
        tiles[:2, true] += 3
        np.save(folder / f"slide-{i:02d}.npy", tiles)
        votes = [names[true], names[true], names[int(rng.integers(3))]]
        rows.append(",".join((f"slide-{i:02d}", *votes, f"P{i // 2}")))
    head = "slide_id,anna,björn,chiara,patient\n"
    (folder / "labels.csv").write_text(head + "\n".join(rows) + "\n", "utf-8")
    return folder


def test_slides_of_three_annotators_and_wrong_files(visit, slides, tmp_path) -> None:
    nora = visit(tmp_path / "work")
    page = nora.page
    wrong = tmp_path / "wrong.mat"
    wrong.write_bytes(b"MATLAB 5.0 MAT-file" + bytes(500))
    nora.go("/import", "text=Drop a file")
    page.set_input_files("input[data-kind=files]", wrong)
    nora.sees("That did not work")
    nora.sees("Wrong.mat is of no kind that is read")
    assert not list((tmp_path / "work").glob("data/*"))
    nora.go("/import", "text=Drop a file")
    page.set_input_files("input[data-kind=folder]", slides)
    nora.sees("A folder with a file per bag")
    nora.sees("has no candidates")
    for name in ("anna", "björn", "chiara"):
        page.get_by_label(name, exact=True).check()
    nora.press("Take these as votes")
    nora.sees("Write it")
    nora.sees("slide-00")
    assert not list((tmp_path / "work").glob("data/*"))
    nora.press("Import")
    nora.sees("Krippendorff's alpha")
    assert (tmp_path / "work/data/slides.bags.h5").is_file()
    nora.press("Look at its bags")
    page.get_by_label("Show", exact=True).select_option(index=1)
    page.wait_for_url("**kind=unresolved**")
    page.locator(".table a").first.click()
    nora.sees("Share of the votes")
    before = page.url
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: url != before)
    assert "kind=unresolved" in page.url
    nora.leave()


def test_a_killed_server_loses_nothing_and_cancelled_is_cancelled(
    visit, serve, tmp_path
) -> None:
    server = serve(tmp_path / "work")
    ben = visit(tmp_path / "work", server)
    ben.press("Use the digits")
    ben.sees("Class balance")
    ben.press("Train on it")
    ben.sees("miplma: about")
    ben.page.locator("summary", has_text="Optimisation").click()
    ben.page.get_by_label("epochs", exact=True).fill("100000")
    ben.press("Train")
    ben.sees("Pause")
    ben.page.get_by_text("left").wait_for()
    job = ben.page.url.removeprefix(server.address)
    assert ben.faults == [] and ben.outside == []
    ben.context.close()
    server.end(signal.SIGKILL)
    again = visit(tmp_path / "work")
    again.go("/train", "text=running")
    again.go(job, "text=Pause")
    again.press("Pause")
    again.sees("Paused; its state is saved")
    assert (tmp_path / "work/runs/digits-mipl-miplma.checkpoint").is_file()
    again.press("Go on")
    again.sees("Pause")
    again.press("Cancel")
    again.sees("Cancelled")
    assert list((tmp_path / "work/runs").iterdir()) == []
    again.leave()


def test_nothing_of_the_machine_is_sent(visit, tmp_path) -> None:
    """With a good key, too: no address takes a path, and none leads to one."""
    (tmp_path / "decoy.txt").write_text("the decoy")
    mallory = visit(tmp_path / "work")
    ways = [
        "../decoy.txt",
        "..%2fdecoy.txt",
        "%2e%2e/decoy.txt",
        "..%5cdecoy.txt",
        str(tmp_path / "decoy.txt"),
        "%00",
        "....//decoy.txt",
    ]
    starts = ["", "assets/", "picture/", "data/", "job/", "import/here/", "upload/"]
    starts += [f"picture/{'0' * 32}/", f"picture/{'0' * 32}/0/sheet/"]
    ask = mallory.context.request
    for start in starts:
        for way in ways:
            answer = ask.get(f"{mallory.server.address}/{start}{way}")
            assert b"the decoy" not in answer.body()
    origin = {"Origin": mallory.server.address, "X-File-Name": "../../decoy.txt"}
    for draft in ("0" * 32, "..", "..%2f.."):
        address = f"{mallory.server.address}/upload/{draft}"
        answer = ask.post(address, data=b"1", headers=origin)
        assert answer.status in (400, 404, 405)
    assert (tmp_path / "decoy.txt").read_text() == "the decoy"
    assert {path.name for path in (tmp_path / "work").iterdir()} <= {".mipl"}
