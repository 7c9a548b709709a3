"""Entries of the catalogue: what a file may say, and what is told of a wrong one."""

import pytest

from mipl.errors import BadFile
from mipl.methods.catalogue.entry import all_rows, names, rows

ENTRY = """\
class = "toy.module:Toy"
family = "mil"

[reference]
text = "Nobody: Nothing. 2000."
bibtex = "@misc{toy}"

[paper_grid]
lam = [0.1, 1]

[[method]]
id = "toy"
title = "Toy"
summary = "It sums."

[[method]]
id = "toy-half"
title = "Half a toy"
summary = "It halves."
preset = "half"
arguments = { width = [8, 4], clip = "null" }

[[published]]
source = "nowhere"
choice = "by guess"
settings = { lam = 1.0, epochs = 5 }
chosen = { tau = 2 }
sets = [
    { data = ["elm", "oak"], r = [1, 2] },
    { data = "ash", settings = { lam = 3.0 }, chosen = { mu = 4 }, choice = "alone" },
]
"""
OTHER = """\
class = "toy.module:Other"
family = "pll"
one_vs_rest = true
reference = "toy"
published = "toy"
[[method]]
id = "other"
title = "Other"
summary = "Another."
"""


@pytest.fixture
def written(tmp_path):
    def write(text, name="toy"):
        (tmp_path / f"{name}.toml").write_text(text)
        return tmp_path

    return write


def test_an_entry_gives_a_row_for_each_id(written):
    toy, half = rows(written(ENTRY), "toy").values()
    assert (toy.id, toy.title, toy.family, toy.summary) == (
        "toy",
        "Toy",
        "mil",
        "It sums.",
    )
    assert (toy.path, toy.preset, dict(toy.arguments)) == ("toy.module:Toy", "", {})
    assert not toy.one_vs_rest and toy.reference.bibtex == "@misc{toy}"
    assert dict(toy.paper_grid) == {"lam": [0.1, 1]}
    assert (half.preset, half.reference) == ("half", toy.reference)
    assert half.arguments == {"width": (8, 4), "clip": None}


def test_sets_add_to_their_block(written):
    published = rows(written(ENTRY), "toy")["toy"].published
    assert [(one.data, one.r) for one in published] == [
        ("elm", 1),
        ("elm", 2),
        ("oak", 1),
        ("oak", 2),
        ("ash", None),
    ]
    elm, ash = published[0], published[-1]
    assert elm.settings == {"lam": 1.0, "epochs": 5}
    assert (elm.chosen, elm.gaps, elm.choice) == ({"tau": 2}, ("tau",), "by guess")
    assert ash.settings == {"lam": 3.0, "epochs": 5}
    assert (ash.gaps, ash.choice) == (("tau", "mu"), "by guess; alone")
    assert {one.source for one in published} == {"nowhere"}


def test_publication_and_settings_of_another_entry(written):
    folder = written(ENTRY)
    written(OTHER, "other")
    assert names(folder) == ["other", "toy"]
    other, toy, _ = all_rows(folder)
    assert (other.reference, other.published) == (toy.reference, toy.published)
    assert other.one_vs_rest and not other.paper_grid


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("class =", "klass =", "class: Field required"),
        ("family = ", 'depth = 3\nfamily = "', "toy.toml is no entry of a method"),
        ('family = "mil"', 'family = "xyz"', "family: Input should be 'mipl', 'pll'"),
        ("toy.module:Toy", "toy.module", "class: String should match"),
        ("@misc", "misc", "reference.*bibtex: String should match"),
        ('summary = "It sums."', "", "method.0.summary: Field required"),
        ("It sums.", "It sums", "method.0.summary: String should match"),
        ('id = "toy-half"', 'id = "half"', "the id 'half' must begin with 'toy'"),
        ('id = "toy-half"', 'id = "Toy"', "method.1.id: String should match"),
        ("tau = 2", "tau = {}", "published.*chosen"),
        ('data = "ash", ', "", "sets.1.data: Field required"),
        ("r = [1, 2]", "r = 1.5", "sets.0.r"),
        ("lam = 3.0", "Lam = 3.0", "settings.Lam"),
        ('"Nobody', "Nobody", "toy.toml is no entry of a method: Invalid value"),
    ],
)
def test_a_wrong_entry_is_told_in_a_sentence(written, old, new, told):
    assert old in ENTRY
    folder = written(ENTRY.replace(old, new, 1))
    with pytest.raises(BadFile, match=told) as caught:
        rows(folder, "toy")
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("reference", "told"),
    [("elm", "there is no entry 'elm'"), ("other", "names an entry that names")],
)
def test_a_name_must_lead_to_a_text(written, reference, told):
    written(ENTRY)
    folder = written(OTHER.replace('"toy"', f'"{reference}"', 1), "other")
    with pytest.raises(BadFile, match=told):
        rows(folder, "other")
