"""What contracts of imports cannot say: chains, names, and how high annotations go."""

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/mipl"
LONGEST = 15  # Modules of a chain of imports.


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """What each module imports when it is loaded; the root's names are lazy."""
    return edges(exclude_type_checking_imports=True)


def edges(**options: bool) -> dict[str, set[str]]:
    graph = grimp.build_graph("mipl", cache_dir=None, **options)
    return {
        module: graph.find_modules_directly_imported_by(module) - {"mipl"}
        for module in graph.modules - {"mipl"}
    }


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE), ast.parse(path.read_text("utf-8"))


def chain(imports: dict[str, set[str]]) -> list[str]:
    """The longest way down; a cycle is an error."""
    longest: dict[str, list[str]] = {}
    for module in TopologicalSorter(imports).static_order():
        below = max((longest[one] for one in imports[module]), key=len, default=[])
        longest[module] = [module, *below]
    return max(longest.values(), key=len)


def test_a_chain_is_the_longest_way_down() -> None:
    found = chain({"a": {"b", "c"}, "b": {"c"}, "c": {"d"}, "d": set(), "e": {"d"}})
    assert found == ["a", "b", "c", "d"]


def test_no_chain_of_imports_is_longer(
    imports: dict[str, set[str]],
) -> None:
    found = chain(imports)
    assert found[0] == "mipl.cli.main"
    assert len(found) <= LONGEST, " -> ".join(found)


def test_annotations_reach_no_higher_than_imports() -> None:
    """The contract of layers leaves imports for type checking aside; these do not."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one["type"] == "layers")
    rank = {
        name.strip(" ()"): -height
        for height, line in enumerate(layers)
        for name in line.replace(":", "|").split("|")
    }
    upwards = [
        f"{module} -> {target}"
        for module, targets in edges().items()
        for target in targets
        if rank[".".join(module.split(".")[:2])] < rank[".".join(target.split(".")[:2])]
    ]
    assert upwards == []


def test_no_two_public_classes_share_a_name() -> None:
    homes = defaultdict(list)
    for path, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path))
    assert {name: at for name, at in homes.items() if len(at) > 1} == {}


def test_no_two_modules_share_a_name() -> None:
    """But for what bears another name by right: a verb, a replay, a table."""
    named_after = ("cli", "testing/replay", "paper/tables", "paper/figures")
    homes = defaultdict(list)
    for path, _ in modules():
        if path.stem != "__init__" and not str(path).startswith(named_after):
            homes[path.stem].append(str(path))
    assert {name: at for name, at in homes.items() if len(at) > 1} == {}
