"""What the generators of recordings share: the spectrogram, and what is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from mipl.audio.loud_segments import Segment
from mipl.audio.recordings import Recording
from mipl.audio.segment_features import Numbers, birdsong38, mel_statistics
from mipl.audio.spectrogram import Floats, Frames, SoundGrid, frames_of
from mipl.errors import BadType, MiplError, unknown
from mipl.generators.bag_generator import BagGenerator
from mipl.generators.encoding import Encoder, check_kept, encoder_of
from mipl.generators.instance_bag import InstanceBag
from mipl.generators.item import Item
from mipl.parameters import anything, integer, number

FORMS = ("logmel", "birdsong38")
PLACES = ("start", "end", "low", "high")
PART_SECONDS = 60.0
_MOST_AT_ONCE = 256  # Pictures that an encoder sees together.

Patches = npt.NDArray[np.float32]  # (n, 1, mels, frames)


class SoundBags(BagGenerator, kw_only=True):
    """A transformer: recordings -> ``Bags``; a subclass says where to cut.

    Recordings are read as streams, one minute at a time, and mixed to one channel. The
    spectrogram has the same grid of time and frequency at any rate of samples. Give a
    list of paths or of pairs (samples, rate), or a folder; ``coords`` are start and end
    in seconds, lowest and highest frequency in hertz.
    """

    item: ClassVar[type[Item]] = Recording
    place_names: ClassVar[tuple[str, ...]] = PLACES
    per_task: ClassVar[int] = 4

    measures: str | Path | Callable[..., Any] = anything(
        "What is measured: logmel (mean, deviation and rise of each mel band, and "
        "duration), birdsong38 (the 38 numbers of the Birdsong data), or what an "
        "encoder makes of log-mel pictures (n, 1, mels, frames): an ONNX file, a "
        "torch.nn.Module or a function.",
        "str, path or callable",
        default="logmel",
    )
    low: float = number(
        "Lowest frequency looked at, in hertz.", default=0.0, at_least=0
    )
    high: float = number(
        "Highest frequency looked at, in hertz; no more than half the samples per "
        "second of any recording.",
        default=8000.0,
        above=0,
    )
    window: float = number(
        "Seconds that a column of the spectrogram looks at.",
        default=0.032,
        at_least=0.001,
        at_most=1,
    )
    hop: float = number(
        "Seconds between two columns.", default=0.016, at_least=0.001, at_most=1
    )
    bins: int = integer(
        "Rows of the spectrogram, of equal width in hertz.", default=256, at_least=8
    )
    mels: int = integer("Mel bands of log-mel features.", default=32, at_least=2)

    def check(self) -> None:
        """Refuse wrong arguments."""
        super().check()
        if self.low >= self.high:
            raise MiplError(
                f"low must be below high; got {self.low:g} and {self.high:g}."
            )
        if self.hop > self.window:
            raise MiplError(
                f"hop must be at most window, or sounds between columns are not seen; "
                f"got {self.hop:g} and {self.window:g}."
            )
        if isinstance(self.measures, str) and self.measures not in FORMS:
            if Path(self.measures).suffix.lower() != ".onnx":
                raise unknown("measures", self.measures, [*FORMS, "FILE.onnx"])
        elif not isinstance(self.measures, (str, Path)) and not callable(self.measures):
            raise BadType(
                "measures must be a name, an ONNX file, a torch.nn.Module or a "
                f"function; got {type(self.measures).__name__}."
            )

    def grid(self) -> SoundGrid:
        """Return the grid of the spectrogram."""
        return SoundGrid(
            float(self.window), float(self.hop), float(self.low), float(self.high),
            int(self.bins), int(self.mels),
        )  # fmt: skip

    def settings(self) -> dict[str, Any]:
        """Return what the instances depend on, for the keys of finished recordings."""
        given = super().settings()
        if self.measures not in FORMS:
            given["measures"] = self._encoder().fingerprint()
        return given

    def rebuilt_from_facts(self) -> bool:
        """Tell whether no encoder is needed, which facts do not hold."""
        return isinstance(self.measures, str) and self.measures in FORMS

    def store(self, finished: str | Path | None) -> str | Path | None:
        """Return the file of finished recordings; a function must tell its changes."""
        if not self.rebuilt_from_facts():
            check_kept(self.measures, finished)
        return finished

    def patch_frames(self) -> int:
        """Return the columns of the picture that an encoder gets of a segment."""
        raise NotImplementedError

    def segments(self, parts: Iterator[Frames]) -> Iterator[Segment]:
        """Give the segments of a recording."""
        raise NotImplementedError

    def mel_of(self, segment: Segment) -> Floats:
        """Return the log-mel values (t, mels) whose statistics are taken."""
        raise NotImplementedError

    def instances(self, recording: Recording) -> InstanceBag:
        """Return the segments of one recording; it is read to its end."""
        with recording.played() as sound:
            return self._cut(frames_of(sound, self.grid(), PART_SECONDS))

    def _cut(self, parts: Iterator[Frames]) -> InstanceBag:
        grid = self.grid()
        features: list[npt.NDArray[Any]] = []
        places: list[tuple[float, ...]] = []
        if self.measures in FORMS:
            for segment in self.segments(parts):
                places.append(segment.place(grid))
                features.append(self._measured(segment, grid))
        else:
            encoder, waiting = self._encoder(), []
            for segment in self.segments(parts):
                places.append(segment.place(grid))
                waiting.append(picture(segment.level, self.patch_frames()))
                if len(waiting) == _MOST_AT_ONCE:
                    features += [*_encoded(encoder, waiting)]
                    waiting = []
            if waiting:
                features += [*_encoded(encoder, waiting)]
        rows = np.asarray(features, np.float32)
        return InstanceBag(rows, np.asarray(places, np.float32))

    def _measured(self, segment: Segment, grid: SoundGrid) -> Numbers:
        if self.measures == "birdsong38":
            return birdsong38(segment, grid)
        return mel_statistics(self.mel_of(segment), len(segment.mask) * grid.hop)

    def _encoder(self) -> Encoder:
        shape = (1, int(self.mels), self.patch_frames())
        return encoder_of(self.measures, shape, "pictures of mel bands")


def picture(level: Floats, columns: int) -> Patches:
    """Return log-mel values (t, mels) as a picture (1, mels, columns).

    The middle of what is longer is taken; what is shorter stands in silence.

    Examples
    --------
    >>> picture(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), 4).tolist()
    [[[-120.0, 1.0, 3.0, -120.0], [-120.0, 2.0, 4.0, -120.0]]]
    """
    over = len(level) - columns
    if over >= 0:
        inside = level[over // 2 : over // 2 + columns]
    else:
        before = -over // 2
        inside = np.pad(
            level, ((before, -over - before), (0, 0)), constant_values=-120.0
        )
    found: Patches = np.ascontiguousarray(inside.T[None], np.float32)
    return found


def _encoded(encoder: Encoder, pictures: Sequence[Patches]) -> npt.NDArray[np.float32]:
    features = encoder(np.stack(pictures))
    if not np.isfinite(features).all():
        raise BadType("the encoder gave features that are NaN or infinite; check it.")
    return features
