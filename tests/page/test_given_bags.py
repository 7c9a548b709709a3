"""Bags that a person gives to be predicted, without labels."""

import io
import zipfile

import numpy as np
import pytest
from tests.page.loops import finished

from mipl import MiplError, Run, load_dataset, write_dataset
from mipl.page.library import Library
from mipl.page.predicted_bags import explained_new, given, predicted
from mipl.page.uploads import Uploads
from mipl.page.workspace import Workspace


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("work"))
    write_dataset(load_dataset("synthetic", n_bags=40), workspace.new_dataset("trees"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(workspace.folder)
        few = {"training__epochs": 1, "width": 8}
        Run("miplma", "data/trees.bags.h5", few).execute(workspace.new_run("first"))
    return workspace


def sent(work, files: dict[str, bytes]) -> tuple[Uploads, str]:
    """Give files as a browser does."""
    uploads = Uploads(work)
    draft = uploads.begin()

    async def pieces(content: bytes):
        yield content

    for name, content in files.items():
        finished(uploads.take(draft, name, pieces(content)))
    return uploads, draft


def array(values) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def test_a_zip_of_features_is_predicted_as_the_model_says(work):
    rng = np.random.default_rng(0)
    bags = {f"slide-{i}": rng.normal(size=(i + 2, 10)) for i in range(3)}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, instances in bags.items():
            file.writestr(f"new/{name}.npy", array(instances.astype(np.float32)))
    place = given(work, *sent(work, {"new.zip": packed.getvalue()}))
    run, library = work.runs()[0], Library()
    found = predicted(library, run, place)
    model = library.model(run).model
    p = model.predict_proba([one.astype(np.float32) for one in bags.values()])
    assert found.columns["bag_id"].tolist() == list(bags)
    assert np.stack([found.columns[f"p_{c}"] for c in range(5)], axis=1) == (
        pytest.approx(p)
    )
    # They are of nobody's data sets, and nothing new lies in the workspace.
    assert len(work.datasets()) == 1 and work.others() == []


def test_what_cannot_be_read_is_a_sentence_without_the_way_to_it(work):
    uploads, draft = sent(work, {"wrong.mat": b"MATLAB 5.0 MAT-file" + bytes(500)})
    place = given(work, uploads, draft)
    assert place.name == "wrong.mat"
    with pytest.raises(MiplError) as error:
        predicted(Library(), work.runs()[0], place)
    assert str(error.value).startswith("wrong.mat is of no kind that is read")
    assert draft not in str(error.value)


def test_a_bag_without_labels_is_explained(work):
    rng = np.random.default_rng(2)
    bags = [rng.normal(size=(n, 10)).astype(np.float32) for n in (3, 5)]
    files = {f"{i}.npy": array(one) for i, one in enumerate(bags)}
    place = given(work, *sent(work, files))
    run, library = work.runs()[0], Library()
    told = explained_new(library, run, place, 1)
    model = library.model(run).model
    assert told.bag.n_instances == 5
    assert told.p == pytest.approx(model.predict_proba([bags[1]])[0])
    assert told.attention == pytest.approx(model.attend([bags[1]]))
    with pytest.raises(MiplError, match="there are 2 bags; got 2"):
        explained_new(library, run, place, 2)


def test_a_single_file_of_features_is_a_bag(work):
    one = np.random.default_rng(1).normal(size=(3, 10)).astype(np.float32)
    place = given(work, *sent(work, {"one.npy": array(one)}))
    assert place.name == "one.npy"
    found = predicted(Library(), work.runs()[0], place)
    assert found.columns["bag_id"].tolist() == ["one"]
    narrow = given(work, *sent(work, {"one.npy": array(one[:, :4])}))
    with pytest.raises(MiplError, match="has 4 features"):
        predicted(Library(), work.runs()[0], narrow)


def test_nothing_given_is_told(work):
    uploads = Uploads(work)
    with pytest.raises(MiplError, match="no file has come with this upload"):
        given(work, uploads, uploads.begin())
    with pytest.raises(MiplError, match="no such upload"):
        given(work, uploads, "0" * 32)
