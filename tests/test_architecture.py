"""What contracts of imports cannot say: chains, names, and how high annotations go."""

import tomllib
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
