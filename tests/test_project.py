"""What the project promises as a whole: quick imports, names, versions, files."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

import mipl

ROOT = Path(__file__).parents[1]
API = ROOT / "scripts" / "public_api.py"
HEAVY = ("torch", "matplotlib", "nicegui")  # scikit-learn itself loads pandas.


def python(program: str, *arguments: str) -> str:
    """Run a program in a fresh interpreter and return what it prints."""
    command = [sys.executable, *arguments, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "program",
    [
        "import mipl",
        "import mipl.datasets",
        "import mipl.images; mipl.images.SIFT",
        "import mipl; mipl.load_dataset('digits-mipl')",
        "import mipl; mipl.describe; mipl.validate; mipl.read_dataset",
    ],
)
def test_imports_load_nothing_heavy(program: str) -> None:
    loaded = python(f"{program}\nimport sys; print(*sys.modules, sep='\\n')")
    assert not set(HEAVY) & set(loaded.split())


def test_a_fit_loads_neither_torchs_compiler_nor_symbolic_mathematics() -> None:
    program = (
        "import sys, mipl\n"
        "train, _ = mipl.load_dataset('synthetic', r=1, n_bags=20).split(0)\n"
        "model = mipl.MIPLMA(training=mipl.Training(epochs=1))\n"
        "model.fit(train.bags, train.candidates).predict(train.bags)\n"
        "print(*sys.modules, sep='\\n')"
    )
    loaded = python(program).split()
    assert "torch" in loaded
    assert not {"sympy", "torch._dynamo", "torch._inductor"} & set(loaded)


@pytest.mark.parametrize(
    "arguments", [["--help"], ["data", "--help"], ["images", "--help"], ["--version"]]
)
def test_help_loads_neither_torch_nor_numpy(arguments: list[str]) -> None:
    program = (
        "import sys\nfrom mipl.cli.main import main\n"
        f"try: main({arguments!r})\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "print(*sys.modules, sep='\\n')"
    )
    loaded = python(program).split()
    assert "mipl.cli.main" in loaded
    assert not {*HEAVY, "numpy", "scipy", "sklearn"} & set(loaded)


def test_import_takes_less_than_a_third_of_a_second() -> None:
    # Work done by this import alone, which does not depend on how busy the machine is.
    told = python("import mipl", "-X", "importtime")
    [line] = [line for line in told.splitlines() if line.endswith("| mipl")]
    assert int(line.split("|")[1]) < 300_000


@pytest.mark.parametrize(
    "name", ["mipl", "mipl.data", "mipl.datasets", "mipl.io", "mipl.images"]
)
def test_public_names_exist_and_are_in_order(name: str) -> None:
    package = import_module(name)
    assert package.__all__ == sorted(
        package.__all__,
        key=lambda n: (not n.isupper(), n[0].islower(), n),
    )
    for public in package.__all__:
        assert getattr(package, public) is not None


def test_lazy_names_are_those_of_all() -> None:
    assert sorted(mipl._homes()) == sorted(mipl.__all__)
    assert set(mipl.__all__) <= set(dir(mipl))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        mipl.nonsense  # noqa: B018
    assert mipl.Bags is import_module("mipl.data").Bags


def test_all_names_come_by_a_star() -> None:
    names = python("from mipl import *\nprint(*globals())").split()
    assert set(mipl.__all__) <= set(names)


def test_type_checkers_see_the_same_names() -> None:
    command = [sys.executable, ROOT / "scripts/public_names.py"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told == (ROOT / "src/mipl/__init__.pyi").read_text(), "run: make names"


CONSUMER = """\
from mipl import MIPLMA, PRODEN, Degraded, OneVsRest, Training, VGPMIL, load_dataset

train, _ = load_dataset("synthetic").split(0)
model = MIPLMA(lam=0.3, width=8, training=Training(epochs=1))
model.fit(train.bags, train.candidates)
Degraded(PRODEN(), "mean")
OneVsRest(VGPMIL(inducing=20), n_jobs=2)
reveal_type(model.lam)
MIPLMA(lam="large")
Training(epochs="many")
"""


@pytest.mark.slow
def test_a_strict_type_checker_sees_arguments_and_their_types(tmp_path: Path) -> None:
    (tmp_path / "consumer.py").write_text(CONSUMER)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "consumer.py",
    ]
    found = subprocess.run(  # It ends with 1, having found what it should.
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    told = [line for line in found.stdout.splitlines() if line.startswith("consumer")]
    assert [re.sub(r"^consumer.py:(\d+): ", r"\1 ", line) for line in told] == [
        '8 note: Revealed type is "float"',
        '9 error: Argument "lam" to "MIPLMA" has incompatible type "str"; '
        'expected "float"  [arg-type]',
        '10 error: Argument "epochs" to "Training" has incompatible type "str"; '
        'expected "int"  [arg-type]',
    ]


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_one_version() -> None:
    assert mipl.__version__ == project()["version"]
    assert f"## {mipl.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_one_version_everywhere() -> None:
    cited = (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.+)$", cited, re.MULTILINE) == [mipl.__version__]


def test_the_public_surface_is_changed_on_purpose() -> None:
    """``make api`` writes the file; its change belongs into CHANGELOG.md."""
    found = python(f"import runpy\nrunpy.run_path({str(API)!r}, run_name='__main__')")
    assert (
        found.splitlines() == (ROOT / "tests/public_api.txt").read_text().splitlines()
    )


def test_two_builds_are_the_same_bytes_and_hold_what_is_needed(tmp_path) -> None:
    built = []
    for folder in ("one", "two"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        subprocess.run(
            [*command, str(tmp_path / folder)],
            cwd=ROOT,
            env=environment,
            check=True,
            capture_output=True,
        )
        (wheel,) = (tmp_path / folder).iterdir()
        built.append(wheel.read_bytes())
    assert built[0] == built[1]
    names = set(zipfile.ZipFile(wheel).namelist())
    kept = (path for path in (ROOT / "src").rglob("*") if path.is_file())
    source = {str(path.relative_to(ROOT / "src")) for path in kept}
    source = {name for name in source if "__pycache__" not in name}
    assert source <= names
    assert {name for name in names - source if ".dist-info/" not in name} == set()


def test_the_package_is_typed() -> None:
    assert (ROOT / "src/mipl/py.typed").is_file()


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_is_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert pins["torch"] == "2.13.0"
    assert not [version for version in pins.values() if "+" in version]
    wanted = project()["dependencies"]
    for extra in project()["optional-dependencies"].values():
        wanted = wanted + extra
    names = {canonical(re.match(r"[\w.-]+", one)[0]) for one in wanted}
    assert names - {"mipl"} <= {canonical(name) for name in pins}


def test_every_pin_has_a_hash() -> None:
    pins, hashes = (
        (ROOT / name).read_text().splitlines()[1:]
        for name in ("constraints.txt", "hashes.txt")
    )
    found = {}
    for line in hashes:
        pin, mark, value = line.partition(" --hash=sha256:")
        assert mark and re.fullmatch("[0-9a-f]{64}", value), line
        name, version = pin.split("==")
        found[canonical(name)] = version.partition("+")[0]
    pinned = dict(line.split("==") for line in pins)
    assert found == {canonical(name): version for name, version in pinned.items()}


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "LICENSE",
        "CITATION.cff",
        "CODE_OF_CONDUCT.md",
    ],
)
def test_the_usual_files_are_there(name: str) -> None:
    assert (ROOT / name).stat().st_size > 500


def fenced(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_the_readme_opens_with_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    first = fenced(text, r"\w+")[0]
    assert re.findall(r"^make \w+", first, re.MULTILINE) == ["make demo", "make test"]


def test_the_code_of_the_readme_runs(tmp_path) -> None:
    programs = fenced((ROOT / "README.md").read_text(), "python")
    assert len(programs[0].strip().splitlines()) <= 10
    for program in programs:
        subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert len(pages) > 8
    for page in pages:
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_all_verbs_of_make() -> None:
    told = (ROOT / "Makefile").read_text()
    verbs = set(re.findall(r"^(\w+):", told, re.MULTILINE))
    assert {"setup", "demo", "test", "lint", "slow", "bench", "data", "clean"} <= verbs
