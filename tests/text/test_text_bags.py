"""Folders, tables and lists of texts in; what is no text in a sentence."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from sklearn.base import clone

from mipl import MIPLMA, MiplError, Training
from mipl.errors import BadFile, BadType
from mipl.generators.labelled import read_items
from mipl.text import Passages, Sentences, WordWindows

TEXTS = [
    "The wren sings. The owl hoots.",
    "An owl hoots at night.",
    "The wren flew. It",
]


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "texts"
    (root / "more").mkdir(parents=True)
    for name, text in zip(("a.txt", "b.md", "more/c.rst"), TEXTS, strict=True):
        (root / name).write_text(text)
    return root


def test_a_folder_a_table_and_a_list_are_the_same_bags(folder, tmp_path):
    of_list = Sentences(least=1).fit_transform(TEXTS)
    assert of_list.sizes.tolist() == [2, 1, 2] and of_list.bag_ids is None
    of_folder = Sentences(least=1).fit_transform(folder)
    assert of_folder.bag_ids.tolist() == ["a", "b", "more/c"]
    table, lines = tmp_path / "t.csv", tmp_path / "t.jsonl"
    rows = [json.dumps({"id": i, "text": text}) for i, text in enumerate(TEXTS)]
    lines.write_text("\n".join(rows) + "\n\n")
    quoted = "\n".join(f'{i},"{text}"' for i, text in enumerate(TEXTS))
    table.write_text(f"id,text\n{quoted}\n")
    paths = Sentences(least=1).fit_transform(sorted(folder.rglob("*.*")))
    for other in (
        of_folder,
        paths,
        *map(Sentences(least=1).fit_transform, (table, lines)),
    ):
        assert other.digest() == of_list.digest()
        np.testing.assert_array_equal(other.coords, of_list.coords)
    assert Sentences(least=1).fit_transform(lines).uris[1] == f"{lines}#1"
    for text, (first, behind) in zip(TEXTS, of_list.coords[[0, 2, 3]], strict=True):
        assert text[int(first) : int(behind)].endswith(".")


def test_new_documents_are_encoded_alike_in_any_company():
    made = Sentences(least=1).fit(TEXTS)
    whole = made.transform(TEXTS)
    alone = made.transform(TEXTS[1:2])
    np.testing.assert_array_equal(whole[[1]].instances, alone.instances)
    again = Sentences.of_facts(json.loads(json.dumps(made.facts())))
    assert again.transform(TEXTS).digest() == whole.digest()
    assert again.facts() == made.facts()
    assert (
        Sentences(least=1, n_jobs=2).fit(TEXTS).transform(TEXTS).digest()
        == whole.digest()
    )


def test_what_has_learnt_nothing_is_told():
    with pytest.raises(MiplError, match="Sentences has learnt no words yet; call fit"):
        Sentences().transform(TEXTS)
    with pytest.raises(MiplError, match="learnt no words"):
        clone(Sentences(least=1).fit(TEXTS)).transform(TEXTS)


def bad(folder):
    (folder / "empty.txt").write_text("")
    (folder / "space.txt").write_text(" \n\t\n")
    (folder / "latin.txt").write_bytes("caf\xe9 noir".encode("latin-1"))
    (folder / "wide.txt").write_text("The owl.", encoding="utf-16")
    (folder / "zero.txt").write_bytes(b"a\0b")
    (folder / "huge.txt").write_text("The owl. " * 2_000_000)


def test_what_is_wrong_with_each_document_is_told_at_once(folder):
    bad(folder)
    with pytest.raises(BadFile, match="6 of 9 documents") as caught:
        Sentences(least=1).fit_transform(folder)
    for told in (
        "empty.txt holds no words", "space.txt holds no words",
        "latin.txt cannot be read: it is no text in UTF-8 (byte 0xe9 at 3)",
        "wide.txt cannot be read: it is no text in UTF-8 (byte 0xff at 0)",
        "zero.txt cannot be read: it holds zero bytes",
        "huge.txt cannot be read: it has 18,000,000 letters; at most 16,777,216",
    ):  # fmt: skip
        assert told in str(caught.value), told
    made = Sentences(least=1, on_error="skip").fit(folder)
    done = made.convert(folder)
    assert done.bags.bag_ids.tolist() == ["a", "b", "more/c"] and len(done.skipped) == 6


def test_a_mark_of_the_byte_order_is_no_letter(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfThe owl.")
    assert Sentences(least=1).fit_transform([path]).coords.tolist() == [[0, 8]]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"id": 1}\n', "line 1 must have an id"),
        ("[1]\n", "line 1 must be a JSON object"),
        ("nothing\n", "line 1 is not JSON"),
        (
            '{"id": 1, "text": "The owl."}\n{"id": 1, "text": "x y"}',
            "both be called '1'",
        ),
        ("", "no documents"),
        ("[" * 100_000, "line 1 is not JSON"),
    ],
)
def test_wrong_lines_are_told(tmp_path, content, told):
    path = tmp_path / "t.jsonl"
    path.write_text(content)
    with pytest.raises(MiplError, match=told):
        Sentences().fit_transform(path)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([3], "document 0 must be a text or a path; got int"),
        (3, "a list of texts"),
        ([], "at least one"),
        (Path("nowhere"), "nowhere does not exist"),
        (["", " "], "document 0 holds no words|the documents hold no words"),
    ],
)
def test_wrong_documents_are_told_in_a_sentence(given, told):
    with pytest.raises(MiplError, match=told):
        Sentences().fit_transform(given)


@pytest.mark.parametrize(
    ("generator", "told"),
    [
        (Sentences(encoder="bert"), "unknown encoder 'bert'"),
        (Sentences(encoder=3), "encoder must be tfidf, an ONNX file or a function"),
        (Passages(length=0), "length of Passages must be an integer >= 1"),
        (WordWindows(length=3, step=4), "step must be at most length"),
        (Sentences(encoder="nowhere.onnx"), "nowhere.onnx does not exist"),
    ],
)
def test_wrong_arguments_are_told(generator, told):
    with pytest.raises(MiplError, match=told):
        generator.fit_transform(TEXTS)


def lengths(texts):
    return np.array([[len(text), text.count("owl")] for text in texts], np.float32)


def onnx_words(path, column=False):
    """Save a model that counts two words, by operators of ONNX alone."""
    shape = ["n", 1] if column else ["n"]
    given = helper.make_tensor_value_info("texts", TensorProto.STRING, shape)
    gives = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    flat = helper.make_tensor("flat", TensorProto.INT64, [1], [-1])
    nodes = [
        helper.make_node("Reshape", ["texts", "flat"], ["row"]),
        helper.make_node("StringSplit", ["row"], ["words", "n"], delimiter=" "),
        helper.make_node(
            "TfIdfVectorizer", ["words"], ["y"], mode="TF", max_gram_length=1,
            min_gram_length=1, max_skip_count=0, ngram_counts=[0], ngram_indexes=[0, 1],
            pool_strings=["owl", "wren"],
        ),
    ]  # fmt: skip
    graph = helper.make_graph(nodes, "words", [given], [gives], [flat])
    opset = [helper.make_opsetid("", 20)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=9), path)
    return path


@pytest.mark.parametrize("column", [False, True])
def test_an_onnx_file_takes_the_texts(tmp_path, column):
    path = onnx_words(tmp_path / "words.onnx", column)
    bags = Sentences(encoder=path).fit_transform(TEXTS)
    assert bags.instances.tolist() == [[0, 1], [1, 0], [1, 0], [0, 1], [0, 0]]
    facts = Sentences(encoder=str(path)).facts()
    assert facts["encoder"].startswith("ONNX ") and "learnt" not in facts


def test_a_function_takes_the_texts_and_wrong_ones_are_told(tmp_path, folder):
    bags = Sentences(encoder=lengths).transform(TEXTS)
    assert bags.instances[:2].tolist() == [[15, 0], [14, 1]]
    with pytest.raises(BadType, match="must turn 2 instances into an array"):
        Sentences(encoder=lambda texts: np.zeros(3)).transform(TEXTS)
    with pytest.raises(BadType, match="NaN or infinite"):
        Sentences(encoder=lambda texts: lengths(texts) * np.nan).transform(TEXTS)
    with pytest.raises(MiplError, match="attribute fingerprint"):
        Sentences(encoder=lengths).transform(folder, finished=tmp_path / "kept")


def test_attention_is_on_the_sentence_that_makes_the_class():
    rng = np.random.default_rng(0)
    about = {
        "birds": "The wren builds a nest of moss and the owl hunts in the dusk.",
        "ships": "The schooner hoists a sail and the crew leaves the harbour.",
        "bread": "The baker kneads dough with yeast and heats the oven.",
    }
    others = [f"It was on {day} that {who} came." for day in ("Monday", "Friday", "May")
              for who in ("she", "he", "they")]  # fmt: skip
    texts, labels, at = [], [], []
    for i in range(60):
        name = list(about)[i % 3]
        said = list(rng.choice(others, 4))
        place = int(rng.integers(5))
        said.insert(place, about[name])
        texts.append(" ".join(said))
        labels.append(name)
        at.append(place)
    wrong = {"birds": "ships", "ships": "bread", "bread": "birds"}
    sets = [{name, wrong[name]} if i % 2 else {name} for i, name in enumerate(labels)]
    bags = Sentences().fit(texts[:45]).transform(texts)
    model = MIPLMA(training=Training(epochs=40), random_state=0)
    model.fit(bags[:45], sets[:45])
    assert model.score(bags[45:], labels[45:]) >= 0.9
    hits = [int(model.attend(bags[[i]]).argmax()) == at[i] for i in range(45, 60)]
    assert sum(hits) >= 12


@pytest.mark.parametrize("encoder", ["tfidf", lengths])
def test_one_bar_goes_once_from_none_to_all_of_the_documents(tmp_path, encoder):
    rows = [f"{i},oak{i} and elm. Birds sing.,{'ab'[i % 2]}" for i in range(7)]
    table = tmp_path / "songs.csv"
    table.write_text("\n".join(["bag_id,text,label", *rows]))
    told = []
    read_items(
        table,
        Sentences(encoder=encoder, dimensions=2),
        progress=lambda done, total: told.append((done, total)),
    )
    dones, totals = zip(*told, strict=True)
    assert set(totals) == {7}
    assert list(dones) == sorted(dones) and dones[-1] == 7
    # Learning of them is the first half.
    assert (3 in dones) == (encoder == "tfidf")
