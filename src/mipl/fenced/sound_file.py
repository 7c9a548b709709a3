"""Sound files in the child: libsndfile decodes them, mono blocks come out."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from mipl.fenced.frames import Budget, Frame, Refused

_FORMATS = {"WAV", "WAVEX", "RF64", "FLAC", "OGG", "MP3"}
_RATES = 1_000, 1_000_000
_MOST_CHANNELS = 64
_NUMBERS = 1 << 18  # Decoded at a time, over all channels.
_LOUDEST = 1e6  # Full scale is 1; some write the numbers of 16 bits as they are.
_LONGEST_RIFF = (1 << 32) - 16  # Who writes to a pipe claims the largest number.
NO_READER = "no soundfile"


def read_sound(file: int, budget: Budget, *, most_seconds: float) -> Iterator[Frame]:
    """Give the rate, then blocks of the mean of all channels."""
    try:
        import soundfile  # noqa: PLC0415
    except (ImportError, OSError):  # OSError where the C library is not there.
        yield Frame.of_text(NO_READER, NO_READER)
        return
    try:
        _check_length(file)
        with soundfile.SoundFile(file, closefd=False) as sound:
            _check(sound, most_seconds)
            yield Frame.of_array("rate", np.array([sound.samplerate], np.int64))
            yield from _blocks(sound, budget, most_seconds)
    except soundfile.SoundFileError as error:
        raise Refused(f"it is no sound, or a damaged one ({_reason(error)})") from None


def _check(sound: object, most_seconds: float) -> None:
    """Refuse what a header should not claim."""
    kind, rate = sound.format, sound.samplerate  # type: ignore[attr-defined]
    channels, frames = sound.channels, sound.frames  # type: ignore[attr-defined]
    if kind not in _FORMATS:
        raise Refused(f"it is of the format {kind}; WAV, FLAC, OGG and MP3 are read")
    if not _RATES[0] <= rate <= _RATES[1]:
        raise Refused(
            f"it claims {rate:,} samples per second; {_RATES[0]:,} to {_RATES[1]:,} "
            "are read"
        )
    if channels > _MOST_CHANNELS:
        raise Refused(
            f"it claims {channels} channels; at most {_MOST_CHANNELS} are read"
        )
    if frames / rate > most_seconds and frames < 2**62:  # The largest says "unknown".
        raise Refused(_too_long(frames / rate, most_seconds))


def _check_length(file: int) -> None:
    """Refuse a WAV file that was cut off: the decoder would read what is left."""
    head = os.pread(file, 12, 0)
    if head[:4] != b"RIFF" or head[8:] != b"WAVE":
        return
    claimed, there = int.from_bytes(head[4:8], "little") + 8, os.fstat(file).st_size
    if there < claimed <= _LONGEST_RIFF:
        raise Refused(f"it is cut off: it has {there:,} of its {claimed:,} bytes")


def _blocks(sound: object, budget: Budget, most_seconds: float) -> Iterator[Frame]:
    rate, channels = sound.samplerate, sound.channels  # type: ignore[attr-defined]
    step, done = max(1, _NUMBERS // channels), 0
    while True:
        block = sound.read(step, dtype="float32", always_2d=True)  # type: ignore[attr-defined]
        if not len(block):
            break
        done += len(block)
        if done / rate > most_seconds:
            raise Refused(_too_long(done / rate, most_seconds))
        mono = block.mean(axis=1, dtype=np.float32)
        if not np.isfinite(mono).all() or np.abs(mono).max() > _LOUDEST:
            raise Refused("it holds samples that are no finite numbers around 1")
        budget.take(mono.nbytes, "a block of samples")
        yield Frame.of_array("block", mono)
    claimed = sound.frames  # type: ignore[attr-defined]
    lossless = sound.format not in ("MP3", "OGG")  # type: ignore[attr-defined]
    if lossless and done < claimed:
        raise Refused(f"it holds {done:,} of the {claimed:,} samples that it claims")


def _too_long(seconds: float, most: float) -> str:
    return (
        f"it lasts {seconds / 3600:.1f} hours; at most {most / 3600:.0f} are read as "
        "one recording: cut it into parts"
    )


def _reason(error: Exception) -> str:
    """Return what libsndfile says, without how the file was handed over."""
    text = getattr(error, "error_string", None) or str(error)
    return str(text).rpartition(": ")[2].strip().rstrip(".")[:100]
