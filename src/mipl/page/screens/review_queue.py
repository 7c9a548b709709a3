"""The queue of a review: a bag, why it is asked about, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.events import KeyEventArguments

from mipl.errors import MiplError
from mipl.page import cards
from mipl.page.fields import TextField
from mipl.page.paging import page_of
from mipl.page.visit import Visit
from mipl.page.workspace import Place

if TYPE_CHECKING:
    from mipl.page.review_desk import ClassOption, Desk

_Act = Callable[["ClassOption | None"], Any]
_DESK = "mipl.page.review_desk"  # Torch and SciPy come with it, on first use.
_PER_PAGE = 15
_HELP = (
    "Keys: 1 to 9 confirm a class, Shift with 1 to 9 removes or adds it, S skips, U "
    "undoes, the arrows go to the bags beside."
)


async def build(visit: Visit) -> None:
    """Show the question of the address, or the first that is open."""
    data = visit.workspace.dataset(visit.ids["data"])
    run = visit.workspace.run(visit.ids["run"])
    room = await visit.work(import_module, _DESK)
    desk: Desk = await visit.work(
        room.Desk.of, visit.workspace, visit.library, data, run
    )
    cards.heading(f"Review of {data.name}", f"asked by {run.name}")
    if not desk.queue:
        with cards.empty(
            "Nothing to ask",
            "This model is sure of every bag that it learns from, or all were "
            "answered.",
        ):
            cards.to("Another model", "/review")
        return
    await Sitting(visit, desk, data, run).show()


class Sitting:
    """A person at the queue."""

    def __init__(self, visit: Visit, desk: Desk, data: Place, run: Place) -> None:
        self.visit, self.desk, self.data, self.run = visit, desk, data, run
        self.at = desk.place_of(visit.query.get("bag", ""))
        self.choices: list[ClassOption] = []
        self.busy = False

    async def show(self) -> None:
        """Draw it all once; answers change the parts."""
        with ui.element("div").classes("review"):
            self.question = cards_section()
            self.answer = cards_section()
        self.problem = ui.element("div").props("aria-live=polite")
        with cards.section("What becomes of the answers"):
            self.told = ui.label("").classes("note").props("role=status")
            self.name = TextField("Your name", self.visit.query.get("by", ""))
            with cards.bar():
                cards.button("Train again with these", self._train, "main")
                cards.button("Save as a label table", self._export)
        self.list = cards_section()
        ui.keyboard(self._key, repeating=False, ignore=["input", "select", "textarea"])
        await self._draw()

    # -- drawing -------------------------------------------------------------------

    async def _draw(self) -> None:
        one = self.desk.queue[self.at]
        self.choices = await self.visit.work(self.desk.choices, one)
        states = await self.visit.work(self.desk.states)
        self.told.set_text(await self.visit.work(self.desk.progress))
        self.question.clear()
        with self.question:
            self._question(states.get(one.bag, ""))
        self.answer.clear()
        with self.answer:
            self._answers()
        self.list.clear()
        with self.list:
            self._list(states)
        here = self.visit.again(bag=one.bag, by=self.name.text)
        ui.navigate.history.replace(here)

    def _question(self, state: str) -> None:
        one = self.desk.queue[self.at]
        title = f"{self.at + 1}. Bag {one.bag}"
        cards.text(title, "h2").props("role=heading aria-level=2")
        cards.text(state or "not answered yet", "note")
        with ui.element("ul").classes("list"):
            for reason in one.reasons:
                with ui.element("li"):
                    cards.text(reason.sentence)
        address = f"/asked/{self.data.id}/{self.run.id}/{one.number}"
        cards.picture(address, f"Bag {one.bag} as the model sees it", "explained")
        more = f"/explain/{self.data.id}/{self.run.id}/{one.number}"
        with cards.bar():
            cards.to("Explain", more)

    def _answers(self) -> None:
        cards.text("Which class is it?", "h2").props("role=heading aria-level=2")
        for choice in self.choices:
            with ui.element("div").classes("choice" if choice.now else "choice out"):
                confirm = self._does(self._confirm, choice)
                button = cards.button(choice.text, confirm, "class")
                if choice.key:
                    with button:
                        ui.label(choice.key).classes("key").move(target_index=0)
                share = f"{choice.probability:.0%}"
                ui.label(f"{share}, {_kind(choice)}").classes("note")
                word = "Remove" if choice.now else "Add"
                flip = cards.button(word, self._does(self._toggle, choice))
                flip.props["aria-label"] = f"{word} {choice.text}"
        with cards.bar():
            cards.button("Skip (S)", self._does(self._skip))
            cards.button("Undo (U)", self._does(self._undo))
            cards.button("Previous", lambda: self._go(self.at - 1))
            cards.button("Next", lambda: self._go(self.at + 1))
        cards.text(_HELP, "note help")

    def _list(self, states: dict[str, str]) -> None:
        cards.text("The queue", "h2").props("role=heading aria-level=2")
        number = str(self.at // _PER_PAGE + 1)
        page = page_of(self.desk.queue, number, _PER_PAGE)
        rows = [
            [
                one.bag,
                f"{page.first + place + 1}",
                states.get(one.bag, ""),
                one.reasons[0].sentence if one.reasons else "",
            ]
            for place, one in enumerate(page.shown)
        ]
        links = [self.visit.again(bag=one.bag, by=self.name.text) for one in page.shown]
        cards.table(["bag", "place", "answer", "why"], rows, links, "The queue")

    # -- answering -----------------------------------------------------------------

    def _does(
        self,
        act: Callable[[ClassOption | None], Any],
        choice: ClassOption | None = None,
    ) -> Callable[[], Any]:
        async def does() -> None:
            await self._act(act, choice)

        return does

    async def _act(
        self,
        act: Callable[[ClassOption | None], Any],
        choice: ClassOption | None = None,
    ) -> None:
        """Answer; what fails is told, and one answer at a time is given."""
        if self.busy:  # It would be about a bag that is not shown yet.
            self.told.set_text("Wait: the answer before this one is being saved.")
            return
        self.busy = True
        self.told.set_text("Saving ...")
        self.problem.clear()
        try:
            self.at = await self.visit.work(act, choice)
            await self._draw()
        except MiplError as error:
            with self.problem:
                cards.failed(str(error))
        finally:
            self.busy = False

    def _confirm(self, choice: ClassOption | None) -> int:
        assert choice is not None
        bag = self.desk.queue[self.at].bag
        self.desk.review.confirm(bag, choice.name, by=self.name.text)
        return self.desk.next_open(self.at)

    def _toggle(self, choice: ClassOption | None) -> int:
        assert choice is not None
        self.desk.toggle(self.desk.queue[self.at].bag, choice.name, self.name.text)
        return self.at

    def _skip(self, choice: ClassOption | None) -> int:
        self.desk.review.skip(self.desk.queue[self.at].bag, by=self.name.text)
        return self.desk.next_open(self.at)

    def _undo(self, choice: ClassOption | None) -> int:
        undone = self.desk.review.undo(by=self.name.text)
        return self.desk.place_of(undone.bag)

    async def _go(self, place: int) -> None:
        self.at = min(max(place, 0), len(self.desk.queue) - 1)
        await self._draw()

    async def _key(self, event: KeyEventArguments) -> None:
        if not event.action.keydown or event.modifiers.ctrl or event.modifiers.alt:
            return
        name, number = event.key.name.lower(), event.key.number
        if number is not None and 1 <= number <= min(9, len(self.choices)):
            act = self._toggle if event.modifiers.shift else self._confirm
            await self._act(act, self.choices[number - 1])
        elif name in ("s", "u"):
            await self._act(self._skip if name == "s" else self._undo)
        elif name in ("arrowleft", "arrowright"):
            await self._go(self.at + (1 if name == "arrowright" else -1))

    # -- what becomes of them ------------------------------------------------------

    async def _export(self) -> None:
        own = self.visit.workspace.own / "exports"
        save = import_module(_DESK).labels_csv
        text: bytes = await self.visit.work(save, self.desk, own)
        ui.download.content(text, f"{self.data.name}-labels.csv", "text/csv")

    async def _train(self) -> None:
        self.problem.clear()
        try:
            arguments = await self.visit.work(
                import_module(_DESK).next_training,
                self.visit.workspace,
                self.data,
                self.run,
                self.desk,
            )
            title = f"{self.run.name} with the answers"
            job = await self.visit.work(self.visit.jobs.start, "fit", title, arguments)
        except MiplError as error:
            with self.problem:
                cards.failed(str(error))
            return
        self.visit.go(f"/job/{job.id}")


def cards_section() -> ui.element:
    """Return a card that is filled again and again."""
    return ui.element("section").classes("card")


def _kind(choice: ClassOption) -> str:
    if choice.now:
        return "candidate" if choice.before else "added"
    return "removed" if choice.before else "no candidate"
