"""A bag of a recording in the browser: its segments on the axis of time."""

import numpy as np
import soundfile
from tests.audio.calls import recording

from mipl import write_dataset
from mipl.audio import EnergySegments
from mipl.generators.labelled import read_items
from mipl.page.workspace import Workspace

# Pixels of a chart that have the colour of its bars, by row.
PAINTED = """([red, green, blue]) => {
  const canvas = document.querySelector('.chart canvas');
  if (!canvas || !canvas.width) return [];
  const {width, height, data} = canvas.getContext('2d')
    .getImageData(0, 0, canvas.width, canvas.height);
  const rows = [];
  for (let y = 0; y < height; y++) {
    const found = [];
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x);
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue)
        found.push(x);
    }
    if (found.length) rows.push([y, found[0], found[found.length - 1]]);
  }
  return rows;
}"""
COLOURS = {"light": [31, 95, 168], "dark": [127, 178, 238]}
CALLS = (1.0, 4.0, 7.0)  # Seconds.


def bars(page, mode: str) -> list[tuple[int, int]]:
    """Return where each bar of the chart begins and ends, from the first one down."""
    found = page.wait_for_function(
        f"(colour) => {{ const rows = ({PAINTED})(colour); "
        "return rows.length ? rows : null; }",
        arg=COLOURS[mode],
    ).json_value()
    told, last = [], -2
    for y, first, end in found:
        if y != last + 1:
            told.append((first, end))
        last = y
    return told


def test_segments_of_a_recording_lie_in_time(visit, tmp_path) -> None:
    work, folder = Workspace(tmp_path / "work"), tmp_path / "recordings"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for name in ("dawn", "dusk"):
        calls = [(at, 0.4, 2000.0, 4500.0) for at in CALLS]
        samples, rate = recording(rng, calls)
        soundfile.write(folder / f"{name}.wav", samples, rate)
    (folder / "labels.csv").write_text(
        "bag_id,candidates\ndawn,robin|wren\ndusk,wren\n"
    )
    data, skipped = read_items(folder, EnergySegments(), labels=folder / "labels.csv")
    assert skipped == {}
    write_dataset(data, work.new_dataset("birds"))
    starts = np.sort(data.bags[:1].coords[:, 0])
    assert len(starts) == len(CALLS)
    place = f"/data/{work.datasets()[0].id}"
    lena = visit(work.folder)
    for mode in ("light", "dark"):
        lena.page.emulate_media(color_scheme=mode)
        lena.go(f"{place}/bag/0", "text=Instances")
        lena.page.get_by_role("img", name="Instances in time").wait_for()
        assert lena.page.get_by_role("link", name="Time", exact=True).is_visible()
        drawn = sorted(bars(lena.page, mode))
        # One below the other, at equal distances as the calls are.
        assert len(drawn) == len(CALLS)
        gaps = np.diff([first for first, _ in drawn])
        scale = np.diff(starts)
        assert np.allclose(gaps / gaps.sum(), scale / scale.sum(), atol=0.02)
        lena.page.keyboard.press("ArrowRight")
        lena.page.wait_for_url("**/bag/1")
        lena.page.get_by_role("img", name="Instances in time").wait_for()
    lena.leave()
