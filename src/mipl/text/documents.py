"""Documents to be turned into bags: texts, files of one, tables of many."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from mipl.errors import BadFile, MiplError
from mipl.files import read_bounded
from mipl.generators.item import Item
from mipl.io.tables.columns import as_text, is_missing
from mipl.io.tables.label_options import USUAL
from mipl.io.tables.table_file import read_columns
from mipl.plain_text import shortened

_IDS = (*USUAL["bag_id"], "id", "document_id", "doc_id")
_TEXTS = ("text", "document", "content", "body")
_MOST_LETTERS = 1 << 24  # Places are float32, which counts no further.
_MOST_BYTES = 1 << 28
_MOST_TABLE_BYTES = 1 << 31


class TextRow(NamedTuple):
    """A text of a table: the file, the id of the row, what stands there."""

    path: Path
    id: str
    text: str


@dataclass(frozen=True, eq=False)
class Document(Item):
    """One document: its name among the others, and its file, its row, or its text."""

    noun: ClassVar[str] = "document"
    suffixes: ClassVar[tuple[str, ...]] = (".txt", ".text", ".md", ".rst")
    holders: ClassVar[tuple[str, ...]] = (".csv", ".parquet", ".xlsx", ".jsonl")
    accepted: ClassVar[str] = (
        "a list of texts (str) and paths (Path), a folder, or a table"
    )

    @classmethod
    def of_memory(cls, given: Any, place: int) -> Self:
        """Take a text."""
        if not isinstance(given, str):
            raise MiplError(
                f"document {place} must be a text or a path; got "
                f"{type(given).__name__}."
            )
        return cls(f"document {place}", given)

    @classmethod
    def of_file(cls, path: Path, name: str) -> Iterator[Self]:
        """Give the document of a file, or those of a table, a row each."""
        if path.suffix.lower() not in cls.holders:
            yield cls(name, path)
            return
        rows = _lines(path) if path.suffix.lower() == ".jsonl" else _rows(path)
        for row in rows:
            yield cls(row.id, row)

    @classmethod
    def recognised(cls, endings: Mapping[str, int]) -> bool:
        """Tell whether most files are texts: notes lie beside data of any kind."""
        texts = sum(endings.get(suffix, 0) for suffix in cls.suffixes)
        return 2 * texts > sum(endings.values())

    @classmethod
    def in_holder(cls, path: Path) -> bool:
        """Tell whether a table holds texts."""
        if path.suffix.lower() == ".jsonl":
            return True
        return read_columns(path).find(*_TEXTS) is not None

    def __str__(self) -> str:
        if isinstance(self.source, TextRow):
            return f"{self.source.path}, document {shortened(self.name, 40)!r}"
        return str(self.source) if isinstance(self.source, Path) else self.name

    def content(self) -> str:
        """Return the text."""
        if isinstance(self.source, Path):
            text = _decoded(read_bounded(self.source, _MOST_BYTES), self.source)
            where = f"{self.source} cannot be read: it"
        else:
            row = isinstance(self.source, TextRow)
            text, where = (self.source.text if row else self.source), str(self)
        if "\0" in text:
            raise BadFile(f"{where} holds zero bytes, as no text does; leave it out.")
        if len(text) > _MOST_LETTERS:
            raise BadFile(
                f"{where} has {len(text):,} letters; at most {_MOST_LETTERS:,} are one "
                "document: cut it into parts."
            )
        return text

    @property
    def uri(self) -> str | None:
        """The address of its file, and in a table of its row."""
        if isinstance(self.source, TextRow):
            return f"{self.source.path.absolute()}#{self.source.id}"
        return super().uri

    def memory_digest(self) -> str:
        """Return a hash of the text."""
        text = self.source.text if isinstance(self.source, TextRow) else self.source
        return sha256(str(text).encode("utf-8", "surrogatepass")).hexdigest()


def document_at(address: str) -> Document:
    """Return the document that an address of a bag names: of a file, or of a row."""
    path, mark, name = address.rpartition("#")
    if not mark or Path(address).is_file():
        return Document(Path(address).stem, Path(address))
    if not Path(path).is_file():
        raise MiplError(f"{path} is not there; put it back, or make the bags again.")
    for one in Document.of_file(Path(path), ""):
        if one.name == name:
            return one
    raise MiplError(
        f"{path} has no document {shortened(name)!r} any more; put it back, or make "
        "the bags again."
    )


def _decoded(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = data[error.start]
        raise BadFile(
            f"{path} cannot be read: it is no text in UTF-8 (byte 0x{what:02x} at "
            f"{error.start:,}); save it in that encoding."
        ) from None


def _rows(path: Path) -> Iterator[TextRow]:
    table = read_columns(path)
    ids, texts = table.find(*_IDS), table.find(*_TEXTS)
    for column, names in ((ids, _IDS), (texts, _TEXTS)):
        if column is None:
            raise BadFile(
                f"{path} needs a column of {'ids' if names is _IDS else 'texts'}, "
                f"called {', '.join(names)}; it has {', '.join(table.cells)[:200]}."
            )
    assert ids is not None and texts is not None
    for name, text in zip(table.text(ids), table.cells[texts], strict=True):
        yield TextRow(path, name, "" if is_missing(text) else as_text(text))


def _lines(path: Path) -> Iterator[TextRow]:
    """Give the rows of a file with a JSON object in each line."""
    text = _decoded(read_bounded(path, _MOST_TABLE_BYTES), path)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            raise BadFile(f"{where} is not JSON; give an object per line.") from None
        if not isinstance(one, dict):
            raise BadFile(f"{where} must be a JSON object with an id and a text.")
        found = [
            next((one[name] for name in names if name in one), None)
            for names in (_IDS, _TEXTS)
        ]
        if not isinstance(found[0], (str, int)) or not isinstance(found[1], str):
            raise BadFile(
                f"{where} must have an id ({', '.join(_IDS)}) and a text "
                f"({', '.join(_TEXTS)})."
            )
        yield TextRow(path, str(found[0]), found[1])
