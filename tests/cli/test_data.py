"""The verbs of ``mipl data``, run as a user runs them."""

import io
import json
import zipfile

import h5py
import numpy as np
import pytest

from mipl import Dataset, load_dataset, read_dataset, write_dataset
from mipl.datasets import CATALOG
from mipl.datasets import download as downloads


@pytest.fixture
def nothing_here(tmp_path, monkeypatch):
    """A machine without raw files."""
    monkeypatch.delenv("MIPL_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("MIPL_CACHE", str(tmp_path / "cache"))
    return tmp_path


# -- list ----------------------------------------------------------------------------


def test_list_tells_what_is_ready_and_how_to_get_the_rest(run, nothing_here) -> None:
    ran = run("data", "list", "--json")
    listed = {one["name"]: one for one in ran.json}
    assert ran.code == 0 and set(listed) == set(CATALOG)
    assert [n for n, one in listed.items() if one["ready"]] == [
        "digits-mipl",
        "synthetic",
    ]
    assert "make data" in listed["mnist-mipl"]["needs"]
    assert listed["birdsong-mipl"]["options"] == ["disjoint", "fold"]


def test_list_finds_raw_files(run, nothing_here) -> None:
    (nothing_here / "raw").mkdir()
    (nothing_here / "raw/pll_lost.npz").write_bytes(b"is not opened")
    listed = run("data", "list", "--raw", nothing_here / "raw", "--json").json
    ready = [one["name"] for one in listed if one["ready"]]
    assert "lost" in ready and "italian" not in ready


def test_list_as_a_table_fits_the_terminal(run, nothing_here) -> None:
    ran = run("data", "list")
    assert all(name in ran.out for name in CATALOG)
    assert "run `make data`" in ran.out and "mipl data fetch NAME" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


# -- describe ------------------------------------------------------------------------


def test_describe_a_name(run) -> None:
    ran = run("data", "describe", "digits-mipl", "--r", 2, "--seed", 3)
    assert ran.code == 0
    for figure in ("250", "64", "18-24", "3 / 3.00 / 3", "CC BY 4.0", "█"):
        assert figure in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_describe_as_json(run) -> None:
    told = run("data", "describe", "synthetic", "--set", "n_bags=30", "--json").json
    data = load_dataset("synthetic", n_bags=30)
    assert (told["bags"], told["instances"]) == (30, data.bags.n_instances)
    assert told["positives_per_bag"]["mean"] > 0


def test_describe_stands_beside_the_published_table(run, tmp_path) -> None:
    data = Dataset(np.ones((4, 2, 3)), [{0, 1}] * 4, name="mnist-mipl")
    write_dataset(data, tmp_path / "a.bags.h5")
    out = run("data", "describe", tmp_path / "a.bags.h5").out
    lines = {line[:24].strip(): line[24:].split() for line in out.splitlines()}
    assert lines["instances"] == ["8", "20,664"]
    assert lines["n min-max (avg)"] == ["2-2", "(2.00)", "35-48", "(41.33)"]
    assert "read from disk" in out


def test_describe_a_path_with_options_of_its_format(run, trees) -> None:
    ran = run("data", "describe", trees, "--set", 'features=["width"]', "--json")
    assert ran.json["features"] == 1
    ran = run("data", "describe", trees, "--set", "fetures=x")
    assert ran.code == 2 and "did you mean 'features'" in ran.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no.csv"], "no.csv does not exist"),
        (["folder/digits-mipl"], "folder/digits-mipl does not exist"),
        (["digits-mipl", "--set", "overlap=1"], "digits-mipl takes no options"),
        (["synthetic", "--set", "overlap"], "--set must be NAME=VALUE; got 'overlap'"),
        (["synthetic", "--raw", "nowhere"], "raw files nowhere does not exist"),
        (["sival-mipl"], "sival-mipl needs the raw file sival.npz"),
    ],
)
def test_what_cannot_be_described(run, nothing_here, arguments, sentence) -> None:
    ran = run("data", "describe", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err and "Traceback" not in ran.err


def test_labels_cannot_be_chosen_for_a_file(run, trees) -> None:
    ran = run("data", "describe", trees, "--r", 2)
    assert ran.code == 2 and "--r goes with a name of the catalog" in ran.err


# -- validate ------------------------------------------------------------------------


def test_validate_exits_0_on_warnings(run) -> None:
    ran = run("data", "validate", "digits-mipl")
    assert ran.code == 0
    assert "constant-features" in ran.out and "digits-mipl: 1 warning" in ran.out


def test_validate_exits_1_on_errors(run, tmp_path) -> None:
    data = load_dataset("synthetic", n_bags=20)
    wrong = data.labels.copy()
    outside = next(iter(set(range(5)) - set(next(iter(data.candidates)))))
    wrong[0] = outside
    write_dataset(Dataset(data.bags, data.candidates, wrong), tmp_path / "a.npz")
    ran = run("data", "validate", tmp_path / "a.npz", "--json")
    assert ran.code == 1
    [found] = [one for one in ran.json if one["severity"] == "error"]
    assert (found["code"], found["count"]) == ("outside-set", 1)
    ran = run("data", "validate", tmp_path / "a.npz")
    assert ran.code == 1 and "1 error" in " ".join(ran.out.split())


def test_validate_says_when_nothing_is_found(run) -> None:
    ran = run("data", "validate", "synthetic")
    assert (ran.code, ran.out) == (0, "synthetic: nothing found  200 bags, no groups\n")


def test_validate_counts_what_a_reader_refuses(run, tmp_path) -> None:
    rows = np.ones((6, 2), np.float32)
    rows[[1, 4]] = np.nan
    np.savez(
        tmp_path / "a.npz",
        X=rows,
        offsets=np.arange(0, 7, 2),
        candidates=np.ones((3, 2), bool),
    )
    ran = run("data", "validate", tmp_path / "a.npz", "--json")
    assert ran.code == 1
    [found] = ran.json
    assert (found["code"], found["count"]) == ("non-finite", 2)
    assert found["examples"] == ["bag 0", "bag 2"]


def test_validate_a_damaged_file(run, tmp_path) -> None:
    data = load_dataset("synthetic", n_bags=10)
    write_dataset(data, tmp_path / "a.npz")
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[content.index(data.bags.bag(5).tobytes())] ^= 1
    (tmp_path / "a.npz").write_bytes(content)
    ran = run("data", "validate", tmp_path / "a.npz", "--json")
    assert ran.code == 1
    assert [one["code"] for one in ran.json] == ["unreadable"]


def test_validate_a_table_with_empty_cells(run, tmp_path) -> None:
    rows = ["bag_id,x,y,candidates", "p,1,2,oak", "q,,2,oak|elm", "q,3,NA,oak|elm"]
    (tmp_path / "a.csv").write_text("\n".join([*rows, "r,nan,1,elm", "s,1,1,elm"]))
    ran = run("data", "validate", tmp_path / "a.csv", "--json")
    [found] = ran.json
    assert (ran.code, found["code"], found["count"]) == (1, "non-finite", 2)
    assert found["examples"] == ["bag 1 ('q')", "bag 2 ('r')"]
    assert "line 3, column 'x'" in found["sentence"]


def test_validate_counts_bags_without_candidates_or_instances(run, tmp_path) -> None:
    (tmp_path / "a.csv").write_text("bag_id,x\np,1\nq,2\nr,3\n")
    labels = tmp_path / "a.labels.csv"
    labels.write_text("bag_id,candidates\np,oak|elm\nq,\nr,[]\n")
    ran = run("data", "validate", tmp_path / "a.csv", "--json")
    [found] = ran.json
    assert (ran.code, found["code"], found["count"]) == (1, "empty-sets", 2)
    assert [e.rpartition(", ")[2] for e in found["examples"]] == ["line 3", "line 4"]
    labels.write_text("bag_id,candidates\np,a\ns,b\nq,b\nr,a\nt,b\n")
    ran = run("data", "validate", tmp_path / "a.csv", "--json")
    [found] = ran.json
    assert (ran.code, found["code"], found["count"]) == (1, "empty-bags", 2)
    assert found["examples"] == ["bag 1 ('s')", "bag 4 ('t')"]


# -- build, import, convert ----------------------------------------------------------


def test_build_writes_what_load_dataset_gives(run, tmp_path) -> None:
    out = tmp_path / "a.bags.h5"
    ran = run(
        "data", "build", "digits-mipl", "-o", out, "--r", 2, "--seed", 5, "--json"
    )
    assert ran.code == 0 and ran.json["path"] == str(out)
    expected, stored = load_dataset("digits-mipl", 2, 5), read_dataset(out)
    assert stored.bags.digest() == expected.bags.digest()
    assert (stored.candidates.matrix == expected.candidates.matrix).all()
    assert (stored.licence, stored.name) == ("CC BY 4.0", "digits-mipl")


def test_build_goes_to_the_cache_by_default(run, nothing_here) -> None:
    ran = run("data", "build", "synthetic", "--set", "n_bags=10", "--json")
    path = nothing_here / "cache/synthetic-r1-seed0-n-bags-10.bags.h5"
    assert ran.json["path"] == str(path) and len(read_dataset(path)) == 10


def test_build_takes_names_only(run, trees) -> None:
    ran = run("data", "build", trees, "-o", trees.with_suffix(".npz"))
    assert ran.code == 2 and "unknown data set" in ran.err


def test_import_a_table_with_labels_and_splits(run, tmp_path) -> None:
    (tmp_path / "rows.csv").write_text("slide,a,b\np,1,2\np,3,4\nq,5,6\nr,7,8\n")
    (tmp_path / "sets.csv").write_text(
        "slide,maybe,truth,person\np,x|y,x,1\nq,y,y,2\nr,x|z,z,2\n"
    )
    (tmp_path / "mine.json").write_text('{"train": ["p", "q"], "test": ["r"]}')
    ran = run(
        *("data", "import", tmp_path / "rows.csv", "-o", tmp_path / "my.bags.h5"),
        *("--labels", tmp_path / "sets.csv", "--splits", tmp_path / "mine.json"),
        *("--bag-id", "slide", "--candidates", "maybe", "--label", "truth"),
        *("--group", "person", "--features", "b, a", "--classes", "z,y,x", "--json"),
    )
    assert ran.code == 0, ran.err
    data = read_dataset(tmp_path / "my.bags.h5")
    assert data.classes.tolist() == ["z", "y", "x"]
    assert data.labels.tolist() == ["x", "y", "z"]
    assert data.groups.astype(str).tolist() == ["1", "2", "2"]
    assert data.bags.load().instances[:2].tolist() == [[2, 1], [4, 3]]
    assert data.folds()[0].test.tolist() == [2]


def test_import_votes(run, tmp_path) -> None:
    (tmp_path / "rows.csv").write_text("bag_id,a\np,1\nq,5\n")
    votes = "bag_id,annotator,label\np,1,x\np,2,x\np,3,y\nq,1,y\nq,2,y\n"
    (tmp_path / "votes.csv").write_text(votes)
    arguments = ["data", "import", tmp_path / "rows.csv", "-o", tmp_path / "my.npz"]
    arguments += ["--annotations", tmp_path / "votes.csv"]
    assert run(*arguments, "--json").code == 0
    union = read_dataset(tmp_path / "my.npz").candidates
    assert union.matrix.tolist() == [[True, True], [False, True]]
    assert union.weights[0].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert run(*arguments, "--rule", 2).code == 0
    agreed = read_dataset(tmp_path / "my.npz").candidates
    assert agreed.matrix.tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize("suffix", [".bags.h5", ".npz", ".csv", ".mat", ""])
def test_convert_and_back(run, trees, tmp_path, suffix) -> None:
    ran = run("data", "convert", trees, tmp_path / f"out{suffix}")
    assert ran.code == 0 and "3 bags, 4 instances x 2 features" in ran.out
    back = read_dataset(tmp_path / f"out{suffix}")
    assert back.bags.digest() == read_dataset(trees).bags.digest()


def test_options_of_the_written_format(run, trees, tmp_path) -> None:
    out = tmp_path / "new.mat"
    assert run("data", "convert", trees, out, "--write", "version=7.3").code == 0
    assert out.read_bytes().startswith(b"MATLAB 7.3")
    assert read_dataset(out).bags.digest() == read_dataset(trees).bags.digest()
    half = tmp_path / "half.bags.h5"
    ran = run("data", "import", trees, "-o", half, "--write", "dtype=float16")
    assert ran.code == 0
    with h5py.File(half) as file:
        assert file["features"].dtype == "float16"


def test_unknown_option_of_the_written_format(run, trees) -> None:
    out = trees.parent / "new.npz"
    ran = run("data", "convert", trees, out, "--write", "version=7.3")
    assert ran.code == 2 and "unknown option 'version'; there are none." in ran.err
    ran = run("data", "convert", trees, out, "--write", "version")
    assert ran.code == 2 and "--write must be NAME=VALUE" in ran.err
    assert not out.exists()


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        ("trees.csv", "cannot be converted into itself"),
        ("trees.xyz", "'.xyz' names no format"),
        ("none/trees.npz", "does not exist; create it"),
    ],
)
def test_what_cannot_be_written(run, trees, out, sentence) -> None:
    before = trees.read_bytes()
    ran = run("data", "convert", trees, trees.parent / out)
    assert (ran.code, ran.out) == (2, "") and sentence in ran.err
    assert trees.read_bytes() == before
    assert [p.name for p in trees.parent.iterdir()] == ["trees.csv"]


# -- fetch ---------------------------------------------------------------------------


def test_fetch_from_another_address(run, site, tmp_path, monkeypatch) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("SIVAL_MIPL_r1.mat", b"content")
        archive.writestr("index/index1.mat", b"index")
    site.files["/SIVAL_MIPL.zip"] = packed.getvalue()
    arguments = ("data", "fetch", "sival-mipl", "--to", tmp_path, "--from", site.url)
    first = run(*arguments)
    assert first.code == 0 and "SIVAL_MIPL_r1.mat" in first.out
    assert "arrived whole" in first.out and "index1.mat" not in first.out
    again = run(*arguments, "--json")
    [told] = json.loads(again.out)
    assert told["fresh"] is False and told["verified"] == []
    assert (tmp_path / "sival-mipl/SIVAL_MIPL_r1.mat").read_bytes() == b"content"


def test_fetch_tells_what_fails(run, site, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(downloads, "_PAUSE", 0)
    ran = run("data", "fetch", "sival-mipl", "--to", tmp_path, "--from", site.url)
    assert ran.code == 2 and "answered 404 Not Found" in ran.err
    ran = run("data", "fetch", "sival", "--to", tmp_path, "--from", site.url)
    assert ran.code == 2 and "did you mean 'sival-mipl'" in ran.err


# -- votes and groups -----------------------------------------------------------------


@pytest.fixture
def slides(tmp_path):
    """A folder of four slides, and three pathologists in columns."""
    (tmp_path / "slides").mkdir()
    rows = ["slide_id,patient_id,dr_meier,dr_okafor,dr_silva"]
    rows += ["s1,p1,tumour,tumour,stroma", "s2,p1,stroma,,stroma"]
    rows += ["s3,p2,unsure,tumour,tumour", "s4,p3,stroma,stroma,tumour"]
    for i in range(1, 5):
        np.save(tmp_path / f"slides/s{i}.npy", np.full((3, 2), float(i)))
    (tmp_path / "slides/labels.csv").write_text("\n".join(rows))
    return tmp_path / "slides"


def test_annotators_as_columns_and_their_agreement(run, slides) -> None:
    out = slides.parent / "slides.bags.h5"
    ran = run(
        "data", "import", slides, "-o", out, "--annotators",
        "dr_meier,dr_okafor,dr_silva", "--unsure", "unsure=tumour|stroma",
        "--group", "patient_id",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert read_dataset(out).groups.tolist() == ["p1", "p1", "p2", "p3"]
    told = run("data", "describe", out).out
    for words in ("10 votes, 1 undecided, 1 missing", "Krippendorff", "kappa", "3, of"):
        assert words in told
    assert "4 bags, 3 groups" in run("data", "validate", out).out
    agreed = run("data", "describe", out, "--json").json["agreement"]
    assert agreed["annotators"] == ["dr_meier", "dr_okafor", "dr_silva"]


def test_an_unknown_group_is_refused(run, slides) -> None:
    ran = run(
        "data", "import", slides, "-o", slides.parent / "a.bags.h5", "--annotators",
        "dr_meier", "--annotators", "dr_silva", "--group", "patient",
    )  # fmt: skip
    assert ran.code == 2 and "did you mean 'patient_id'" in ran.err
    assert not (slides.parent / "a.bags.h5").exists()


def test_a_bag_twice_in_the_label_table_is_a_finding(run, tmp_path) -> None:
    (tmp_path / "t.csv").write_text("bag_id,f\np,1\nq,2\n")
    (tmp_path / "t.labels.csv").write_text("bag_id,label\np,a\nq,b\np,b\n")
    ran = run("data", "validate", tmp_path / "t.csv", "--json")
    assert ran.code == 1 and [one["code"] for one in ran.json] == ["duplicate-ids"]


def test_import_names_what_it_leaves_out_once(run, tmp_path) -> None:
    root = tmp_path / "slides"
    root.mkdir()
    for name, n in (("p", 2), ("q", 0), ("r", 3)):
        np.save(root / f"{name}.npy", np.ones((n, 2)) * n)
    (root / "labels.csv").write_text("bag_id,label\np,x\nq,x\nr,y\ns,y\n")
    out = tmp_path / "x.npz"
    ran = run("data", "import", root, "-o", out)
    assert ran.code == 2 and "q.npy" in ran.err and "bag 's'" in ran.err
    assert not out.exists() and ran.err.count("--skip-bad") == 1
    ran = run("data", "import", root, "-o", out, "--skip-bad", "--json")
    assert ran.code == 0 and set(ran.json["left_out"]) == {"q", "s"}
    assert ran.err.count("2 left out:") == 1 and ran.err.count("q.npy") == 1
    assert read_dataset(out).bags.bag_ids.tolist() == ["p", "r"]
    ran = run("data", "convert", root, tmp_path / "y.npz", "--skip-bad")
    assert ran.code == 0 and (tmp_path / "y.npz").exists()
