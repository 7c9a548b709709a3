"""Entries: what is known of a method and of its settings, as data in TOML files.

An entry has the path of a class, its publication, the ids that build it, and the
settings that its authors published. A block of settings is of one source; of what it
says, each of its sets says more, or otherwise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from mipl.errors import BadFile
from mipl.methods.catalogue.method_row import MethodRow, Published, Reference

SUFFIX = ".toml"
_NULL = "null"  # TOML has no None.


def _plain(value: Any) -> Any:
    """Return a value as an argument is given it: None, and tuples for lists."""
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    return None if value == _NULL else value


_Scalar = bool | int | float | str
_Value = Annotated[_Scalar | list[_Scalar], AfterValidator(_plain)]
_Settings = dict[Annotated[str, Field(pattern=r"^[a-z]\w*$")], _Value]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Reference(_Table):
    text: str
    bibtex: Annotated[str, Field(pattern=r"^@\w+\{")]


class _Method(_Table):
    """An id: the class, or a preset of it, with these arguments; or several as one."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: str
    summary: Annotated[str, Field(pattern=r"\.$")]
    preset: str = ""
    arguments: _Settings = {}
    ensemble: bool = False


class _Set(_Table):
    """What a block says of some data sets, whose bags have r false labels each."""

    data: str | list[str]
    r: int | list[int] | None = None
    settings: _Settings = {}
    chosen: _Settings = {}
    choice: str = ""


class _Block(_Table):
    source: str
    choice: str = ""
    preset: str = ""
    settings: _Settings = {}
    chosen: _Settings = {}
    sets: list[_Set]

    def published(self) -> Iterator[Published]:
        for one in self.sets:
            chosen = {**self.chosen, **one.chosen}
            for data, r in product(_several(one.data), _several(one.r)):
                yield Published(
                    data,
                    r,
                    {**self.settings, **one.settings},
                    self.source,
                    tuple(chosen),
                    chosen,
                    "; ".join(told for told in (self.choice, one.choice) if told),
                    self.preset,
                )


class _Entry(_Table):
    """A file; a publication or settings that another has, are told by its name."""

    path: Annotated[str, Field(alias="class", pattern=r"^\w+(\.\w+)*:\w+$")]
    family: Literal["mipl", "pll", "mil"]
    one_vs_rest: bool = False
    reference: str | _Reference
    method: Annotated[list[_Method], Field(min_length=1)]
    published: str | list[_Block] = []
    paper_grid: dict[str, list[_Scalar]] = {}


def names(folder: Path) -> list[str]:
    """Return the names of the entries in a folder."""
    return sorted(file.stem for file in folder.glob(f"*{SUFFIX}"))


def all_rows(folder: Path) -> list[MethodRow]:
    """Return the rows of all entries in a folder."""
    return [row for name in names(folder) for row in rows(folder, name).values()]


@cache
def rows(folder: Path, name: str) -> Mapping[str, MethodRow]:
    """Return the rows of an entry by their ids."""
    entry = _read(folder, name)
    cited, settings = entry.reference, entry.published
    if isinstance(cited, str):
        cited = _own(folder, cited, name).reference
    if isinstance(settings, str):
        settings = _own(folder, settings, name).published
    if isinstance(cited, str) or isinstance(settings, str):
        raise _wrong(name, "it names an entry that names another.")
    reference = Reference(cited.text, cited.bibtex)
    published = tuple(one for block in settings for one in block.published())
    made = [
        MethodRow(
            one.id,
            one.title,
            entry.family,
            one.summary,
            entry.path,
            reference,
            one.preset,
            one.arguments,
            published,
            one_vs_rest=entry.one_vs_rest,
            ensemble=one.ensemble,
            paper_grid=entry.paper_grid,
        )
        for one in entry.method
    ]
    for row in made:
        if row.id != name and not row.id.startswith(f"{name}-"):
            raise _wrong(name, f"the id {row.id!r} must begin with {name!r}.")
    return {row.id: row for row in made}


@cache
def _read(folder: Path, name: str) -> _Entry:
    try:
        text = (folder / f"{name}{SUFFIX}").read_text(encoding="utf-8")
        return _Entry.model_validate(tomllib.loads(text))
    except ValidationError as error:
        # Of one that may be a text or a table, what the table lacks tells more.
        told = max(error.errors(), key=lambda one: len(one["loc"]))
        where = ".".join(map(str, told["loc"]))
        raise _wrong(name, f"{where}: {told['msg']}.") from None
    except (OSError, ValueError) as error:
        raise _wrong(name, f"{error}.") from None


def _own(folder: Path, name: str, whose: str) -> _Entry:
    if name not in names(folder):
        raise _wrong(whose, f"there is no entry {name!r}.")
    return _read(folder, name)


def _wrong(name: str, why: str) -> BadFile:
    return BadFile(f"{name}{SUFFIX} is no entry of a method: {why}")


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
