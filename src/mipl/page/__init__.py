"""The page of ``mipl ui``: a workspace in the browser.

It stands on ``runs`` and ``reports`` and adds nothing to them: what a screen does,
Python and the command line can do, to the same folders and bits.

Add a screen
------------
One file in ``mipl/page/screens/`` and one row in ``mipl/page/screen_list.py``:

1. The row ``Screen("compare", "/compare", "Compare", "mipl.page.screens.compare",
   menu=True)`` has a name, an address, a title and the file, which is loaded when it is
   first shown. Parts of an address in braces are ids (``/data/{data}``): 32 hexadecimal
   digits, or with ``:int`` a whole number. Nothing else is let through, and no screen
   makes a path of an id: it asks ``visit.workspace`` what it stands for.
2. The file has ``async def build(visit: Visit) -> None`` (of ``mipl.page.visit``): it
   fills the page below the header. The frame is on the screen before it is called; a
   ``MiplError`` that leaves it is shown as its sentence. What takes time goes through
   ``await visit.work(function, ...)``, which leaves the server free. ``visit.ids`` has
   the ids of the address, ``visit.query`` what stands behind the question mark (so that
   filters and pages survive a reload and can be shared: ``visit.address(...)`` makes
   such addresses), ``visit.library`` loads data sets and runs and keeps the last few,
   ``visit.jobs`` starts what takes long in processes of its own.
3. What a screen knows stands in a module of its own that imports no NiceGUI and has
   plain tests: the screen itself is thin.
4. Text of unknown origin passes ``mipl.page.workspace.shown``. ``ui.html``,
   ``ui.markdown``, ``run_javascript`` and ``add_head_html`` are used in
   ``mipl/page/frame.py`` only (a test holds this up), so nothing can be markup.
5. ``mipl.page.cards`` has what all screens look alike by: ``heading``, ``section``,
   ``figures``, ``table``, ``empty``, ``failed``, ``finding_card``, ``button``;
   ``mipl.page.charts`` makes charts from numbers, and ``cards.chart`` shows them. The
   style is in ``assets/page.css``: variables for colours, in light and dark; there is
   no Tailwind. Pictures come from addresses with ids (``mipl.page.picture_routes``).
"""
