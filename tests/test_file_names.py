"""Names from outside: no name leaves its folder."""

import pytest

from mipl.errors import MiplError
from mipl.files import inside

HOSTILE = ["", ".", "..", "./", "../x", "a/../../x", "a/..", "..\\x", "a\\..\\..\\x"]
HOSTILE += [
    "/etc/passwd",
    "//x",
    "/",
    "\\x",
    "\\\\server\\share\\x",
    "//server/share/x",
]
HOSTILE += ["C:\\x", "C:x", "c:/x", "Z:", "\\\\?\\C:\\x", "\\\\.\\PIPE\\x"]
HOSTILE += ["a\0b", "\0", "a\nb", "a\rb", "\x1b[2J", "x\x7f", "\ud800", "a/\udcff"]
HOSTILE += ["x" * 1025, "a/" * 600, "../" * 100 + "etc/passwd"]
HOSTILE += ["\uff0e\uff0e/x", "\u2025/x", "\u2024\u2024/x", "\uff0fetc/passwd"]
HOSTILE += [".. /x", "... /x", "a/... ", "a/.. /../x", " ", "a/ /b", "..\uff0fx"]
HOSTILE += ["out/x", "out", "loop/x", "deep/out/x", "self/../../x", "up/x"]

HARMLESS = ["a", "a.csv", "a/b.csv", "./a", "a//b", "a/./b", ".hidden", "a..b", "..a"]
HARMLESS += ["a b", "a...", "ünï/çødé.npy", "~/x", "%2e%2e/x", "self/a", "rec:12.npy"]
HARMLESS += ["x" * 200, "CON.txt", "$HOME", "-rf", "a;b", "within/x"]


@pytest.fixture
def root(tmp_path):
    """A folder with links, beside a decoy and a twin whose name begins alike."""
    root = tmp_path / "root"
    (root / "deep").mkdir(parents=True)
    (tmp_path / "decoy").mkdir()
    (tmp_path / "decoy" / "x").write_bytes(b"decoy")
    (tmp_path / "root2").mkdir()
    (root / "out").symlink_to(tmp_path / "decoy")
    (root / "deep" / "out").symlink_to("../../decoy")
    (root / "up").symlink_to("..")
    (root / "self").symlink_to(".")
    (root / "within").symlink_to("deep")
    (root / "loop").symlink_to("loop")
    return root


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_name_that_leaves_its_folder_is_refused(root, name):
    with pytest.raises(MiplError, match="leaves its folder"):
        inside(root, name)
    assert (root.parent / "decoy" / "x").read_bytes() == b"decoy"


def test_there_are_forty_hostile_names():
    assert len(set(HOSTILE)) >= 40


@pytest.mark.parametrize("name", HARMLESS, ids=ascii)
def test_a_harmless_name_is_joined(root, name):
    assert inside(root, name) == root / name
    assert (root / name).resolve().is_relative_to(root.resolve())


def test_a_twin_whose_name_begins_alike_is_outside(root):
    (root / "twin").symlink_to(root.parent / "root2")
    with pytest.raises(MiplError, match="leaves its folder"):
        inside(root, "twin/x")


def test_a_root_that_is_itself_a_link_works(root):
    link = root.parent / "link"
    link.symlink_to(root)
    assert inside(str(link), "a/b") == link / "a" / "b"
    with pytest.raises(MiplError, match="leaves its folder"):
        inside(link, "out/x")
