"""Files of any form in; what is damaged, too long or too low in one sentence."""

import struct
import sys

import numpy as np
import onnx
import pytest
import soundfile
from onnx import TensorProto, helper
from tests.audio.calls import LEVELS, recording
from torch import nn

from mipl import MIPLMA, MiplError, Training
from mipl.audio import EnergySegments, TimeWindows
from mipl.audio.recordings import Recording
from mipl.errors import BadFile, BadType


@pytest.fixture
def sound():
    calls = [(1.0, 0.4, 2000.0, 4500.0), (3.0, 0.4, 1500.0, 1500.0)]
    return recording(np.random.default_rng(0), calls, seconds=5.0)


def written(path, samples, rate, **options):
    soundfile.write(path, np.clip(samples, -1, 1), rate, **options)
    return path


@pytest.mark.parametrize(
    ("name", "subtype"),
    [
        ("a.wav", "PCM_16"), ("a.wav", "PCM_24"), ("a.wav", "FLOAT"),
        ("a.wav", "PCM_U8"), ("a.flac", "PCM_16"), ("a.ogg", "VORBIS"), ("a.mp3", None),
    ],
)  # fmt: skip
def test_files_give_the_segments_of_their_samples(tmp_path, sound, name, subtype):
    path = written(tmp_path / name, *sound, subtype=subtype)
    bags = EnergySegments().transform([path])
    expected = EnergySegments().transform([sound])
    lossy = name[2:] in ("ogg", "mp3")
    assert bags.bag_ids.tolist() == ["a"] and bags.uris.tolist() == [str(path)]
    # MP3 begins with some silence of the encoder's own.
    np.testing.assert_allclose(bags.coords[:, :2], expected.coords[:, :2], atol=0.07)
    np.testing.assert_allclose(bags.coords[:, 2:], expected.coords[:, 2:], atol=250)
    if not lossy and subtype != "PCM_U8":
        np.testing.assert_allclose(bags.instances, expected.instances, atol=0.2)


def test_channels_are_mixed(tmp_path, sound):
    samples, rate = sound
    path = written(tmp_path / "a.wav", np.stack([samples, 0 * samples], 1), rate)
    found = EnergySegments().transform(
        [
            path,
        ]
    )
    half = EnergySegments().transform([(samples / 2, rate)])
    np.testing.assert_allclose(found.coords, half.coords, atol=0.05)
    both = EnergySegments().transform([(np.stack([samples, samples], 1), rate)])
    assert both.digest() == EnergySegments().transform([sound]).digest()
    words = (samples * 32768).round().clip(-32768, 32767).astype(np.int16)
    whole = EnergySegments().transform([(words, rate)])
    np.testing.assert_allclose(whole.coords, both.coords, atol=0.05)


def test_an_hour_is_read_in_bounded_memory(tmp_path):
    """Six bytes a second on disk, six hundred megabytes of samples."""
    import subprocess  # noqa: PLC0415

    path = tmp_path / "hour.flac"
    with soundfile.SoundFile(path, "w", 44100, 1) as out:
        quiet = np.zeros(44100 * 60)
        quiet[44100:46100] = 0.5 * np.sin(np.arange(2000) / 3)
        for _ in range(60):
            out.write(quiet)
    program = (
        "import sys, resource\nfrom mipl.audio import EnergySegments\n"
        "EnergySegments().transform([sys.argv[2]])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "bags = EnergySegments().transform([sys.argv[1]])\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(bags.n_instances, (after - before) // 1024)"
    )
    short = written(tmp_path / "short.wav", quiet, 44100)
    command = [sys.executable, "-c", program, str(path), str(short)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    instances, mebibytes = map(int, done.stdout.split())
    assert instances == 60 and mebibytes < 150


def damaged(folder, sound):
    samples, rate = sound
    good = written(folder / "good.wav", samples, rate).read_bytes()
    (folder / "empty.wav").write_bytes(b"")
    written(folder / "none.wav", samples[:0], rate)
    (folder / "half.wav").write_bytes(good[: len(good) // 2])
    flac = written(folder / "cut.flac", samples, rate).read_bytes()
    (folder / "cut.flac").write_bytes(flac[: len(flac) // 2])
    (folder / "text.mp3").write_bytes(b"this is no sound at all " * 100)
    claims = bytearray(good)
    claims[24:28] = struct.pack("<I", 90_000_000)
    (folder / "rate.wav").write_bytes(claims)
    spoilt = np.where(np.arange(len(samples)) == 7, np.nan, samples)
    soundfile.write(folder / "nan.wav", spoilt, rate, subtype="FLOAT")
    written(folder / "low.wav", samples, 8000)
    soundfile.write(folder / "aiff.ogg", samples, rate, format="AIFF")


def test_what_is_wrong_with_each_file_is_told_at_once(tmp_path, sound):
    damaged(tmp_path, sound)
    with pytest.raises(BadFile, match="9 of 10 recordings") as caught:
        EnergySegments().transform(tmp_path)
    text = str(caught.value)
    for told in (
        r"aiff.ogg cannot be read: it is of the format AIFF",
        r"cut.flac cannot be read: it is no sound, or a damaged one",
        r"empty.wav cannot be read: it is no sound, or a damaged one",
        r"half.wav cannot be read: it is cut off: it has 110,272 of its 220,544 bytes",
        r"low.wav has 8,000 samples per second, so that nothing is known above 4,000",
        r"nan.wav cannot be read: it holds samples that are no finite numbers",
        r"none.wav has no samples",
        r"rate.wav cannot be read: it claims 90,000,000 samples per second",
        r"text.mp3 cannot be read",
    ):
        assert told in text, told
    assert "file descriptor" not in text and str(tmp_path) in text


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_others_are_used_on_request(tmp_path, sound, n_jobs):
    damaged(tmp_path, sound)
    done = EnergySegments(on_error="skip", n_jobs=n_jobs).convert(tmp_path)
    assert done.bags.bag_ids.tolist() == ["good"] and len(done.skipped) == 9
    alone = EnergySegments().transform([tmp_path / "good.wav"])
    assert done.bags.digest() == alone.digest()


def test_more_than_a_day_is_refused(tmp_path):
    path = tmp_path / "day.flac"
    with soundfile.SoundFile(path, "w", 1000, 1) as out:
        for _ in range(25):
            out.write(np.zeros(3_600_000))
    with pytest.raises(BadFile, match=r"lasts 25.0 hours; at most 24"):
        EnergySegments(high=400).transform([path])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([np.zeros(100)], "recording 0 must be a path, or a pair of samples"),
        ([(np.zeros((2, 2, 2)), 8000)], "recording 0 must be a path, or a pair"),
        ([(np.zeros(9, np.uint8), 8000)], "signed whole numbers; got uint8"),
        ([(np.full(9, np.inf), 8000)], "no finite numbers"),
        ([], "at least one"),
        (3, "a list of paths or of pairs"),
        ("nowhere", "nowhere does not exist"),
    ],
)
def test_wrong_recordings_are_told_in_a_sentence(given, told):
    with pytest.raises(MiplError, match=told):
        TimeWindows().transform(given)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"low": 9000.0}, "low must be below high"),
        ({"hop": 0.5}, "hop must be at most window"),
        ({"measures": "mfcc"}, "unknown measures 'mfcc'"),
        ({"measures": 3}, "measures must be a name, an ONNX file"),
        ({"shortest": 6.0}, "shortest must be at most longest"),
        ({"bins": 0}, "bins of EnergySegments must be an integer >= 8"),
    ],
)
def test_wrong_arguments_are_told(arguments, told):
    with pytest.raises(MiplError, match=told):
        EnergySegments(**arguments).fit([])


def test_windows_are_those_of_a_plain_count():
    sound = (np.random.default_rng(0).normal(size=22050 * 150), 22050)
    bags = TimeWindows(length=4.0, step=7.0).transform([sound])
    starts = np.arange(0, 146, 7)
    np.testing.assert_allclose(bags.coords[:, 0], starts, atol=0.2)
    np.testing.assert_allclose(bags.coords[:, 1] - bags.coords[:, 0], 4, atol=0.01)
    assert bags.coords[0, 2:].tolist() == [0, 8000]
    short = TimeWindows(length=4.0).transform([(sound[0][:22050], 22050)])
    assert short.sizes.tolist() == [1] and short.coords[0, 1] < 1.01


def test_mel_means_of_windows_are_decibels_of_the_noise():
    rate = 22050
    samples = np.random.default_rng(0).normal(scale=0.1, size=rate * 4)
    bags = TimeWindows(mels=8).transform([(samples, rate)])
    grid = TimeWindows(mels=8).grid()
    width = np.diff(grid.mel_edges())
    # The mean of the logarithm of a noise lies up to 2.5 dB below that of its mean.
    expected = 10 * np.log10(0.1**2 * width / (rate / 2))
    difference = expected - bags.instances[:, :8].mean(axis=0)
    assert (difference > -0.2).all() and (difference < 2.6).all()


def test_finished_recordings_are_not_read_again(tmp_path, sound, monkeypatch):
    path, kept = written(tmp_path / "a.wav", *sound), tmp_path / "finished"
    first = EnergySegments().transform([path], finished=kept)
    monkeypatch.setattr(Recording, "played", None)
    again = EnergySegments().transform([path], finished=kept)
    assert again.digest() == first.digest()
    np.testing.assert_array_equal(again.coords, first.coords)
    with pytest.raises(TypeError):
        EnergySegments(threshold=8).transform([path], finished=kept)


def means(pictures):
    return pictures.mean(axis=(1, 3))


def onnx_means(path, shape=("n", 1, 32, 31)):
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    gives = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    axes = helper.make_tensor("axes", TensorProto.INT64, [2], [1, 3])
    if len(shape) == 3:
        axes = helper.make_tensor("axes", TensorProto.INT64, [1], [2])
    node = helper.make_node("ReduceMean", ["x", "axes"], ["y"], keepdims=0)
    graph = helper.make_graph([node], "means", [given], [gives], [axes])
    opset = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)
    return path


class Means(nn.Module):
    def forward(self, pictures):
        return pictures.mean(dim=(1, 3))


def test_encoders_of_all_kinds_see_the_same_pictures(tmp_path, sound):
    made = [
        EnergySegments(measures=encoder).transform([sound])
        for encoder in (
            means, Means(), onnx_means(tmp_path / "a.onnx"),
            str(onnx_means(tmp_path / "b.onnx", (1, 32, 31))),
        )
    ]  # fmt: skip
    plain = EnergySegments().transform([sound])
    for bags in made:
        np.testing.assert_array_equal(bags.coords, plain.coords)
        np.testing.assert_allclose(bags.instances, made[0].instances, atol=1e-3)
    assert made[0].instances.shape[1] == 32
    # Mostly silence around a call of .3 seconds in a picture of .5.
    assert -120 <= made[0].instances.min() and made[0].instances.max() < 0


@pytest.mark.parametrize(
    ("encoder", "told"),
    [
        (lambda pictures: pictures, "must turn 2 instances into an array"),
        (lambda pictures: pictures.mean(axis=(1, 3)) * np.nan, "NaN or infinite"),
        (lambda pictures: {}[0], None),
    ],
)
def test_a_wrong_encoder_is_told(sound, encoder, told):
    expected = (BadType, told) if told else (KeyError, None)
    with pytest.raises(expected[0], match=expected[1]):
        EnergySegments(measures=encoder).transform([sound])


def test_an_onnx_file_for_other_pictures_is_told(tmp_path, sound):
    path = onnx_means(tmp_path / "a.onnx", ("n", 1, 64, 64))
    with pytest.raises(BadFile, match=r"pictures of mel bands \(n, 1, 32, 31\)"):
        EnergySegments(measures=path).transform([sound])


def test_what_a_function_made_is_kept_only_where_it_tells_its_changes(tmp_path, sound):
    path, kept = written(tmp_path / "a.wav", *sound), tmp_path / "finished"
    with pytest.raises(MiplError, match="attribute fingerprint"):
        EnergySegments(measures=means).transform([path], finished=kept)

    def told(pictures):
        return means(pictures)

    told.fingerprint = "1"
    first = EnergySegments(measures=told).transform([path], finished=kept)
    again = EnergySegments(measures=told).transform([path], finished=kept)
    assert first.digest() == again.digest()


def test_a_missing_reader_is_told_with_its_extra(tmp_path, sound, monkeypatch):
    """The child finds no soundfile where it is hidden from it."""
    path = written(tmp_path / "a.wav", *sound)
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "soundfile.py").write_text("raise ImportError('hidden')")
    from mipl.io.fence import pool  # noqa: PLC0415

    pool.close_all()
    monkeypatch.syspath_prepend(str(hidden))
    with pytest.raises(MiplError, match=r'needs soundfile, .*"mipl\[audio\]"'):
        EnergySegments().transform([path])
    pool.close_all()


@pytest.mark.parametrize("measures", ["logmel", "birdsong38"])
@pytest.mark.parametrize(
    ("level", "accuracy", "least"),
    [("loud", 0.8, 7), ("middle", 0.8, 7), ("quiet", 0.6, 5)],
)
def test_attention_is_on_the_call_that_makes_the_class(
    level, accuracy, least, measures
):
    """Every recording has insects; the class is the one bird among them."""
    rng = np.random.default_rng(0)
    birds = {"rise": (2000.0, 4500.0), "fall": (4500.0, 2000.0), "low": (900.0, 1200.0)}
    sounds, labels, truth = [], [], []
    for i in range(36):
        name = list(birds)[i % 3]
        at, *others = rng.permutation(np.arange(0.5, 9.0, 1.0))[:4]
        calls = [(at, LEVELS[level], *birds[name])]
        calls += [(t, 0.3, 6800.0, 6800.0) for t in others]
        sounds.append(recording(rng, calls))
        labels.append(name)
        truth.append(at)
    bags = EnergySegments(measures=measures).transform(sounds)
    others = {"rise": "low", "fall": "rise", "low": "fall"}
    sets = [{name, others[name]} if i % 2 else {name} for i, name in enumerate(labels)]
    model = MIPLMA(training=Training(epochs=60), random_state=0)
    model.fit(bags[:27], sets[:27])
    assert model.score(bags[27:], labels[27:]) >= accuracy
    hits = 0
    for i in range(27, 36):
        bag = bags[[i]]
        start, end, *_ = bag.coords[model.attend(bag).argmax()]
        hits += start < truth[i] + 0.3 and end > truth[i]
    assert hits >= least
