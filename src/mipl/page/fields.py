"""Fields of forms, as browsers have them: keys reach them, readers read them out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from mipl.page.workspace import shown
from mipl.plain_text import plain

Act = Callable[[str], Awaitable[None] | None]
_VALUE = "(event) => emit(event.target.value)"
_CHECKED = "(event) => emit(event.target.checked)"


class TextField:
    """A line of text with its label; ``text`` is what stands in it now.

    ``act`` is told of it when whoever writes has left the field.
    """

    def __init__(
        self, label: str, text: str = "", note: str = "", act: Act | None = None
    ) -> None:
        self.text = text
        with ui.element("div").classes("field"):
            name = _name(label)
            self.element = ui.element("input").props("type=text autocomplete=off")
            self.element.props["value"] = text
            _described(self.element, name, note)
        self.element.on("input", self._changed, js_handler=_VALUE)
        if act is not None:
            self.element.on("change", lambda: acted(act, self.text))

    def _changed(self, event: GenericEventArguments) -> None:
        self.text = str(event.args)[:1000]
        self.element.props["value"] = self.text


class ChoiceField:
    """One of several values, by their words; ``value`` is the chosen one."""

    def __init__(
        self,
        label: str,
        words: Mapping[str, str],
        value: str,
        act: Act | None = None,
        note: str = "",
    ) -> None:
        self.values = list(words)
        self.value = value if value in words else self.values[0]
        self.act = act
        with ui.element("div").classes("field"):
            name = _name(label)
            with ui.element("select") as self.element:
                for place, one in enumerate(self.values):
                    with ui.element("option") as option:
                        ui.label(shown(words[one]))
                    # Places, not values: no name can be mistaken for another.
                    option.props["value"] = str(place)
                    if one == self.value:
                        option.props["selected"] = True
            _described(self.element, name, note)
        self.element.on("change", self._changed, js_handler=_VALUE)

    async def _changed(self, event: GenericEventArguments) -> None:
        place = str(event.args)
        if place.isascii() and place.isdigit() and int(place) < len(self.values):
            self.value = self.values[int(place)]
            await acted(self.act, self.value)


class TickField:
    """What is on or off, with its label."""

    def __init__(
        self, label: str, on: bool = False, act: Act | None = None, note: str = ""
    ) -> None:
        self.on, self.act = on, act
        with ui.element("div").classes("tick"):
            self.element = ui.element("input").props("type=checkbox")
            if on:
                self.element.props["checked"] = True
            with ui.element("div"):
                _described(self.element, _name(label), note)
        self.element.on("change", self._changed, js_handler=_CHECKED)

    async def _changed(self, event: GenericEventArguments) -> None:
        self.on = event.args is True
        await acted(self.act, "yes" if self.on else "")


class TickList:
    """Several values of which any may be chosen; ``chosen`` are those that are."""

    def __init__(self, words: Mapping[str, str], chosen: Sequence[str]) -> None:
        with ui.element("div").classes("ticks"):
            self.fields = {
                name: TickField(words[name], name in chosen) for name in words
            }

    @property
    def chosen(self) -> list[str]:
        """The values that are on, in their order."""
        return [name for name, one in self.fields.items() if one.on]


def _name(label: str) -> Element:
    with ui.element("label").classes("name") as name:
        ui.label(shown(label))
    return name


def _described(field: Element, name: Element, note: str) -> None:
    """Tie a field to its name and to what is said about it, for readers of screens."""
    name.props["for"] = field.html_id
    if note:
        about = ui.label(plain(note)).classes("note")
        field.props["aria-describedby"] = about.html_id


async def acted(act: Act | None, value: str) -> None:
    """Do what a field leads to, whether it takes time or not."""
    if act is not None:
        done = act(value)
        if done is not None:
            await done


def fold(summary: str, opened: bool = False) -> Element:
    """Return what is folded away below its summary; to be filled."""
    around = ui.element("details").classes("more")
    if opened:
        around.props["open"] = True
    with around, ui.element("summary"):
        ui.label(shown(summary))
    return around
