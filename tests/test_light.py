"""What ``pip install mipl`` brings is what a fit needs, and nothing else."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import (
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", name)[0]).lower()


def brought(wanted: list[str]) -> set[str]:
    """Return the packages that these requirements install, with all they need."""
    found, left = set(), [canonical(one) for one in wanted]
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        try:
            needed = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        left += [canonical(one) for one in needed if "extra ==" not in one]
    return found


def blocked(extras: list[str]) -> list[str]:
    """Return the modules here that an installation with these extras would lack."""
    wanted = list(PROJECT["dependencies"])
    for extra in extras:
        wanted += PROJECT["optional-dependencies"][extra]
    allowed = brought(wanted) | {"mipl", "setuptools", "pip", "coverage"}
    return [
        module
        for module, owners in packages_distributions().items()
        if not {canonical(owner) for owner in owners} & allowed
    ]


def run(program: str, *extras: str) -> subprocess.CompletedProcess:
    """Run a program to which nothing else is installed."""
    fence = (
        "import sys\n"
        f"blocked = set({blocked(list(extras))!r})\n"
        "class Fence:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in blocked:\n"
        "            raise ModuleNotFoundError(name, name=name.partition('.')[0])\n"
        "sys.meta_path.insert(0, Fence())\n"
    )
    words = [sys.executable, "-c", fence + program]
    return subprocess.run(words, capture_output=True, text=True, check=False)


FIT = """
import mipl, tempfile, numpy as np
from pathlib import Path
x = [np.random.default_rng(i).normal(size=(3, 4)) for i in range(20)]
y = [{"oak", "elm"} if i % 3 else {"ash", "elm"} for i in range(20)]
model = mipl.MIPLMA(training=mipl.Training(epochs=2)).fit(x, y)
with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder, "model"))
    again = mipl.load_model(Path(folder, "model"))
    assert (again.predict_proba(x) == model.predict_proba(x)).all()
    data = mipl.Dataset(x, y)
    mipl.write_dataset(data, Path(folder, "a.csv"))
    mipl.write_dataset(data, Path(folder, "a.npz"))
    assert len(mipl.read_dataset(Path(folder, "a.csv"))) == 20
    assert len(mipl.read_dataset(Path(folder, "a.npz"))) == 20
print(mipl.load_dataset("synthetic").bags)
"""


def test_six_packages_are_declared() -> None:
    names = {canonical(one) for one in PROJECT["dependencies"]}
    assert len(names) <= 6
    # What the library imports by name, others of the six bring.
    assert {"joblib", "threadpoolctl", "jinja2"} <= brought(PROJECT["dependencies"])


def test_a_fit_a_model_and_plain_files_need_nothing_else() -> None:
    assert "typer" in blocked([]) and "h5py" in blocked([])
    done = run(FIT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("mipl.write_dataset(data, 'a.bags.h5')", r'h5py.*"mipl\[files\]"'),
        ("mipl.read_dataset('b.bags.h5')", r'h5py.*"mipl\[files\]"'),
        ("mipl.load_dataset('birdsong-mipl', raw='.')", r'"mipl\[files\]"'),
    ],
)
def test_what_is_missing_is_told(program: str, told: str, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("b.bags.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    start = "import mipl; data = mipl.Dataset([[[1.0]], [[2.0]]], ['a|b', 'b'])\n"
    done = run(start + program)
    assert re.search(f"MissingExtra: .*{told}", done.stderr), done.stderr


def test_the_command_line_is_an_extra() -> None:
    program = "from mipl.__main__ import main; main()"
    done = run(program)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert 'pip install "mipl[cli]"' in done.stderr
    done = run("sys.argv = ['mipl', 'ui']\n" + program, "cli")
    assert done.returncode == 2 and 'pip install "mipl[ui]"' in done.stderr, done.stderr
    done = run("sys.argv = ['mipl', 'methods']\n" + program, "cli", "files")
    assert done.returncode == 0 and "miplma" in done.stdout, done.stderr
