"""Folders with a file per bag, in the layouts of several toolkits."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from mipl import Bags, Dataset, MiplError, read_dataset, write_dataset

LABELS = "bag_id,candidates\np,oak|elm\nq,elm\n"
P, Q = np.arange(6.0).reshape(3, 2), np.array([[9.0, 8.0]])


def h5(path: Path, **arrays: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        for name, array in arrays.items():
            file[name] = array


def npy(path: Path, array: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.asarray(array))


def fill(root: Path) -> Path:
    npy(root / "p.npy", P)
    npy(root / "q.npy", Q)
    (root / "labels.csv").write_text(LABELS)
    return root


def check(data: Dataset) -> None:
    assert [bag.tolist() for bag in data.bags] == [P.tolist(), Q.tolist()]
    assert data.bags.bag_ids is not None and data.bags.bag_ids.tolist() == ["p", "q"]
    assert [sorted(s) for s in data.candidates] == [["elm", "oak"], ["elm"]]


def test_npy_files(tmp_path: Path) -> None:
    data = read_dataset(fill(tmp_path))
    check(data)
    assert data.bags.uris is not None
    assert data.bags.uris.tolist() == [str(tmp_path / "p.npy"), str(tmp_path / "q.npy")]


@pytest.mark.parametrize("place", ["", "features", "feats", "h5_files", "features_uni"])
@pytest.mark.parametrize("key", ["features", "feats"])
def test_hdf5_files_of_several_toolkits(tmp_path: Path, place: str, key: str) -> None:
    h5(
        tmp_path / place / "p.h5",
        **{key: P.astype(np.float16), "coords": P.astype(int)},
    )
    h5(tmp_path / place / "q.h5", **{key: Q[None], "coords": Q[None].astype(int)})
    (tmp_path / "labels.csv").write_text(LABELS)
    data = read_dataset(tmp_path)
    check(data)
    assert data.bags.coords is not None
    assert data.bags.coords.tolist() == [*P.tolist(), *Q.tolist()]


def test_the_folders_of_torchmil(tmp_path: Path) -> None:
    for name, bag, label in (("p", P, 1), ("q", Q, 0)):
        npy(tmp_path / "features" / f"{name}.npy", bag)
        npy(tmp_path / "labels" / f"{name}.npy", [label])
        npy(tmp_path / "coords" / f"{name}.npy", bag.astype(int))
        npy(tmp_path / "inst_labels" / f"{name}.npy", np.full((len(bag), 1), label))
    data = read_dataset(tmp_path)
    assert data.labels is not None and data.labels.tolist() == [1, 0]
    assert data.bags.instance_labels is not None
    assert data.bags.instance_labels.tolist() == [1, 1, 1, 0]
    assert data.bags.coords is not None and data.bags.coords.dtype.kind == "i"
    npy(tmp_path / "labels" / "q.npy", [0, 1])
    with pytest.raises(MiplError, match=r"q\.npy must hold one label"):
        read_dataset(tmp_path)


def test_slides_of_one_patient_are_joined(tmp_path: Path) -> None:
    h5(tmp_path / "h5_files" / "s1.h5", features=P, coords=P)
    h5(tmp_path / "h5_files" / "s2.h5", features=Q, coords=Q)
    h5(tmp_path / "h5_files" / "s3.h5", features=P + 100)
    text = "bag_id,file,label\nann,s1,ill\nbob,s3.h5,well\nann,h5_files/s2.h5,ill\n"
    (tmp_path / "table.csv").write_text(text)
    data = read_dataset(tmp_path)
    assert data.bags.bag_ids is not None
    assert data.bags.bag_ids.tolist() == ["ann", "bob"]
    assert data.bags.bag(0).tolist() == [*P.tolist(), *Q.tolist()]
    assert data.bags.bag(1).tolist() == (P + 100).tolist()
    assert data.bags.coords is None  # The third slide has none.
    assert data.bags.uris is not None and data.bags.uris[0].count("|") == 1


def test_a_label_table_elsewhere_with_other_names(tmp_path: Path) -> None:
    (tmp_path / "bags").mkdir()
    npy(tmp_path / "bags" / "p.npy", P)
    npy(tmp_path / "bags" / "q.npy", Q)
    text = "case_id,slide_id,oncotree\n7,q,elm\n7,p,oak\n"
    (tmp_path / "clinic.csv").write_text(text)
    data = read_dataset(
        tmp_path / "bags", labels=tmp_path / "clinic.csv", label="oncotree"
    )
    assert data.labels is not None and data.labels.tolist() == ["elm", "oak"]
    assert data.bags.bag(0).tolist() == Q.tolist()
    assert data.groups is not None and data.groups.tolist() == [7, 7]


def test_pictures_keep_their_shape(tmp_path: Path) -> None:
    npy(tmp_path / "p.npy", np.zeros((3, 1, 4, 5), np.uint8))
    npy(tmp_path / "q.npy", np.ones((2, 1, 4, 5), np.uint8))
    (tmp_path / "labels.csv").write_text(LABELS)
    bags = read_dataset(tmp_path).bags
    assert bags.instances.shape == (5, 20) and bags.instance_shape == (1, 4, 5)


def test_votes_in_place_of_a_label_table(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "labels.csv").unlink()
    votes = tmp_path.parent / "votes.csv"
    votes.write_text("bag,annotator,label\np,1,oak\nq,1,elm\np,2,elm\n")
    check(read_dataset(tmp_path, annotations=votes))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (np.zeros(3), r"q\.npy must hold \(n, d\) numbers, .* shape \(3,\)"),
        (np.zeros((0, 2)), r"q\.npy must hold .* at least one row"),
        (np.array([["a", "b"]]), r"q\.npy must hold \(n, d\) numbers"),
        (np.array([[1.0, 2.0], [np.nan, 1.0]]), r"q\.npy holds NaN .* at instance 1"),
        (np.zeros((1, 3)), r"bag 1 \('q'\)"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, content: np.ndarray, says: str) -> None:
    fill(tmp_path)
    npy(tmp_path / "q.npy", content)
    with pytest.raises(MiplError, match=says):
        read_dataset(tmp_path)


def test_bad_hdf5_files_are_named(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "q.npy").unlink()
    h5(tmp_path / "q.h5", other=Q)
    with pytest.raises(MiplError, match=r"q\.h5 holds neither .* features nor feats"):
        read_dataset(tmp_path)
    h5(tmp_path / "q.h5", features=Q, coords=P)
    with pytest.raises(MiplError, match=r"coords of .*q\.h5 must have a row for each"):
        read_dataset(tmp_path)
    (tmp_path / "q.h5").write_bytes(b"no HDF5 file")
    with pytest.raises(MiplError, match=r"q\.h5"):
        read_dataset(tmp_path)
    (tmp_path / "q.npy").write_bytes(b"")
    with pytest.raises(MiplError, match=r"holds both q\.h5 and q\.npy"):
        read_dataset(tmp_path)
    (tmp_path / "q.h5").unlink()
    with pytest.raises(MiplError, match=r"q\.npy is not in NumPy's \.npy form"):
        read_dataset(tmp_path)


def test_slides_of_different_widths_are_named(tmp_path: Path) -> None:
    npy(tmp_path / "a.npy", P)
    npy(tmp_path / "b.npy", np.zeros((2, 5)))
    (tmp_path / "labels.csv").write_text("bag_id,file,label\np,a,x\np,b,x\n")
    with pytest.raises(
        MiplError, match=r"b\.npy has instances of shape \(5,\), .*a\.npy"
    ):
        read_dataset(tmp_path)


def test_files_and_rows_must_match(tmp_path: Path) -> None:
    fill(tmp_path)
    npy(tmp_path / "r.npy", P)
    with pytest.raises(MiplError, match=r"r\.npy has no row in the label table"):
        read_dataset(tmp_path)
    (tmp_path / "r.npy").unlink()
    (tmp_path / "q.npy").unlink()
    with pytest.raises(MiplError, match="bag 'q' has a label but no file"):
        read_dataset(tmp_path)
    (tmp_path / "p.npy").unlink()
    with pytest.raises(MiplError, match="holds no bags"):
        read_dataset(tmp_path)


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "a/../../secret", "C:\\x", "..\\secret", ""]
)
def test_a_file_outside_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    root = fill(tmp_path / "data")
    npy(tmp_path / "secret.npy", P)
    (root / "labels.csv").write_text(f"bag_id,file,label\np,{name},x\n")
    with pytest.raises(MiplError, match=r"leaves its folder|is empty"):
        read_dataset(root)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    fill(tmp_path)
    for name in ("nowhere", "n" * 500):
        (tmp_path / "labels.csv").write_text(f"bag_id,file,label\np,{name},x\n")
        with pytest.raises(MiplError, match=f"bag file '{name[:80]}' is not in"):
            read_dataset(tmp_path)


def test_label_tables_that_are_missing_or_many_are_told(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "labels.csv").unlink()
    with pytest.raises(MiplError, match=r"holds no label table; put labels\.csv there"):
        read_dataset(tmp_path)
    (tmp_path / "a.csv").write_text(LABELS)
    check(read_dataset(tmp_path))
    (tmp_path / "b.csv").write_text(LABELS)
    with pytest.raises(MiplError, match="holds several tables"):
        read_dataset(tmp_path)


def test_several_feature_folders_are_told(tmp_path: Path) -> None:
    for name in ("features_a", "features_b"):
        npy(tmp_path / name / "p.npy", P)
    with pytest.raises(
        MiplError, match="several feature folders, features_a, features_b"
    ):
        read_dataset(tmp_path)


# -- writing ---------------------------------------------------------------------


def test_files_are_called_as_their_bags(trees: Dataset, tmp_path: Path) -> None:
    write_dataset(trees, tmp_path / "t")
    names = sorted(file.name for file in (tmp_path / "t" / "features").iterdir())
    assert names == ["b1.npy", "b2.npy", "c.npy", "d10.npy", "e.npy"]
    found = np.load(tmp_path / "t" / "features" / "d10.npy", allow_pickle=False)
    assert np.array_equal(found, trees.bags.bag(3))


@pytest.mark.parametrize("ids", [["../a", "b"], ["A", "a"], ["x/y", "z"], ["é", "b"]])
def test_ids_that_are_no_file_names_become_numbers(
    tmp_path: Path, ids: list[str]
) -> None:
    data = Dataset(Bags([P, Q], bag_ids=ids), [{0}, {1}])
    write_dataset(data, tmp_path / "t")
    names = sorted(file.name for file in (tmp_path / "t" / "features").iterdir())
    assert names == ["bag_000000.npy", "bag_000001.npy"]
    assert [f.name for f in tmp_path.iterdir()] == ["t"]
    again = read_dataset(tmp_path / "t").bags.bag_ids
    assert again is not None and again.tolist() == ids


def test_nothing_is_overwritten_or_left_behind(trees: Dataset, tmp_path: Path) -> None:
    write_dataset(trees, tmp_path / "t")
    with pytest.raises(MiplError, match="the folder holds other files"):
        write_dataset(trees, tmp_path / "t")
    (tmp_path / "empty").mkdir()
    write_dataset(trees, tmp_path / "empty")
    odd = Dataset(trees.bags, trees.candidates, facts={"x": object()})
    with pytest.raises(MiplError, match="as JSON"):
        write_dataset(odd, tmp_path / "odd")
    assert sorted(f.name for f in tmp_path.iterdir()) == ["empty", "t"]


def test_a_name_that_no_folder_can_have_is_told(trees: Dataset, tmp_path: Path) -> None:
    with pytest.raises(MiplError, match=r"cannot write .*: file name too long"):
        write_dataset(trees, tmp_path / ("n" * 300))


def test_bags_of_another_size_than_counted_are_told(
    trees: Dataset, tmp_path: Path
) -> None:
    write_dataset(trees, tmp_path / "t")
    for kind in ("features", "coords", "inst_labels"):
        file = tmp_path / "t" / kind / "d10.npy"
        np.save(file, np.load(file)[:-1])
    with pytest.raises(MiplError, match=r"3 instances of bag 'd10', .* counts 4"):
        read_dataset(tmp_path / "t")
