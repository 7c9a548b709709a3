"""``--with FILE.py``: a file that the user names runs, and no other."""

import csv

import pytest

import mipl

pytestmark = pytest.mark.usefixtures("own_methods_forgotten")

METHOD = '''\
"""A method of the tests."""

import mipl
from mipl.parameters import number, redeclared


class Calm(mipl.MIPLMA):
    """MIPLMA whose loss is turned down."""

    volume: float = number("What the loss is multiplied by.", default=0.5, above=0)
    width: int = redeclared(default=8)

    def _loss(self, out, batch, w, clock):
        terms = super()._loss(out, batch, w, clock)
        return {name: self.volume * term for name, term in terms.items()}


mipl.register(Calm, id="calm")
if __name__ == "__main__":
    raise SystemExit("what stands here does not run")
'''
QUICK = ("--set", "training.epochs=2")


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "calm_method.py"
    path.write_text(METHOD)
    return path


def test_a_run_is_fitted_asked_and_explained(file, run, tmp_path):
    given = ("--method", "calm", "--with", file, *QUICK, "--split", 0)
    ran = run("fit", "digits-mipl", *given, "--out", "run")
    assert ran.code == 0, ran.err
    assert f"--with {file}" in ran.out.replace("\n", "")
    own = ("--with", file)
    told = run("evaluate", "run", "digits-mipl", *own, "--json")
    assert told.code == 0 and 0 <= told.json["truth"]["accuracy"] <= 1, told.err
    assert run("predict", "run", "digits-mipl", *own, "--split", 0).code == 0
    assert run("explain", "run", "digits-mipl", *own, "--bag", 0).code == 0
    assert "turned down" in run("methods", "calm", *own).out
    ran = run("export", "run", "calm.onnx", *own)
    assert ran.code == 0 and "probabilities" in ran.out, ran.err
    again = run("fit", "--config", "run/run.toml", *own, "--out", "again")
    assert again.code == 0, again.err
    one, other = (mipl.load_model(f"{name}/model") for name in ("run", "again"))
    bags = mipl.load_dataset("digits-mipl").bags
    assert (one.predict_proba(bags) == other.predict_proba(bags)).all()


def test_without_the_file_a_sentence_names_what_is_missing(file, run):
    given = ("--method", "calm", *QUICK, "--split", 0, "--out", "run")
    assert run("fit", "digits-mipl", *given, "--with", file).code == 0
    for row in list(mipl.methods.catalogue.registered.registered()):
        mipl.methods.catalogue.registered.forget(row.id)
    for words in (("evaluate", "run", "digits-mipl"), ("export", "run", "calm.onnx")):
        ran = run(*words)
        assert ran.code == 2 and "mipl.register(Calm, id='calm')" in ran.err
    ran = run("fit", "--config", "run/run.toml", "--out", "again")
    assert ran.code == 2 and "unknown method 'calm'" in ran.err
    assert "--with FILE.py" in ran.err and "Traceback" not in ran.err


def test_no_file_can_ask_for_another_to_be_run(file, run, tmp_path):
    (tmp_path / "bomb.py").write_text("open('ran', 'w').close()")
    for line in ('with = "bomb.py"', 'own = ["bomb.py"]', '[arguments]\nown="bomb.py"'):
        (tmp_path / "run.toml").write_text(f'data = "digits-mipl"\n{line}\n')
        ran = run("fit", "--config", "run.toml", *QUICK, "--out", "run")
        assert ran.code == 2, line
    ran = run("fit", "digits-mipl", "--method", "bomb", "--out", "run")
    assert ran.code == 2 and not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("nothing.py", "x = 1", "nothing.py registers no method; end it with"),
        ("half.py", "x = (1", "half.py cannot be run: line 1: SyntaxError"),
        ("wrong.py", "\nmiplma\n", "line 2: NameError: name 'miplma' is not defined"),
        ("exit.py", "raise SystemExit(3)", "line 1: SystemExit: 3"),
        ("absent.py", None, "absent.py does not exist"),
        ("text.txt", "x = 1", "--with takes a file of Python, name.py"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(file, run, name, text, sentence):
    if text is not None:
        (file.parent / name).write_text(text)
    ran = run("methods", "--with", name)
    assert ran.code == 2 and sentence in ran.err, ran.err
    assert "Traceback" not in ran.err and ran.err.count("\n") == 1


def test_a_file_named_as_a_module_of_python_hides_nothing(file, run):
    file.rename(file.parent / "json.py")
    ran = run("methods", "--with", "json.py", "--json")
    assert ran.code == 0 and "calm" in {row["id"] for row in ran.json}


def test_a_changed_file_is_told_and_computed_again(file, run):
    store = ("--store", "results.db")
    both = ("--method", "calm", "--data", "digits-mipl", "--splits", 0, "--epochs", 1)
    words = ("runs", "compute", *both, "--with", file, "--workers", 1, *store)
    assert "1 finished" in run(*words).out
    known = run(*words)
    assert known.code == 0 and "another text" not in known.err
    file.write_text(METHOD.replace("default=0.5", "default=0.4"))
    told = run(*words)
    assert "1 known run of calm came from another text" in told.err, told.err
    again = run(*words, "--retry-outdated")
    assert "1 finished" in again.out and "another text" not in again.err
    assert "another text" not in run(*words).err


def test_a_method_of_ones_own_has_nothing_to_cite(file, run):
    ran = run("methods", "--cite", "calm", "--with", file)
    assert ran.code == 2 and "nothing to cite" in ran.err


def test_it_joins_the_tables_of_the_paper(file, run, tmp_path):
    few = ("--r", 1, "--splits", 0, "--epochs", 1, "--workers", 1)
    both = ("--method", "calm", "--method", "miplma", "--with", file)
    ran = run("reproduce", "digits", *both, *few, "--format", "csv")
    assert ran.code == 0 and "2 finished" in ran.out, ran.err
    rows = list(csv.DictReader((tmp_path / "digits.csv").read_text().splitlines()))
    assert [row["method"] for row in rows] == ["miplma", "calm"]
    assert all(row["mean"] for row in rows)
    told = run("reproduce", "digits", *both[:2], *both[4:], *few, "--dry-run", "--json")
    assert told.json["runs"] > 10  # All of the table stay beside it.


def test_data_of_ones_own_are_a_column_of_a_table(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mipl.write_dataset(mipl.load_dataset("synthetic", n_bags=40), "my_trees.bags.h5")
    few = ("--method", "miplma", "--splits", 0, "--epochs", 1, "--workers", 1)
    ran = run("reproduce", "digits", *few, "--data", "my_trees.bags.h5")
    assert ran.code == 0 and "my_trees" in ran.out and "1 finished" in ran.out, ran.err
    assert "nothing was published" in ran.out.replace("\n", " ")
    again = run("reproduce", "digits", *few, "--data", "my_trees.bags.h5", "--known")
    assert again.code == 0 and "missing" not in again.out
    ran = run("reproduce", "digits", *few, "--data", "other.bags.h5")
    assert ran.code == 2 and "other.bags.h5" in ran.err and "Traceback" not in ran.err
