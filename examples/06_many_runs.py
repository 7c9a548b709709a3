"""One run, and many: each computed once, kept in a file, and compared.
====================================================================

    python examples/06_many_runs.py

The file outlives the program: were this one killed, the next would go on where it
stopped. ``mipl runs compute`` does the same from a shell.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from mipl import Run
from mipl.runs.comparison import compare, find_setting
from mipl.runs.runner import run_plan
from mipl.runs.store import Store

few = {"training__epochs": 5}
plan = [
    Run(method, "synthetic", few, split=split)
    for method in ("miplma", "demipl")
    for split in range(3)
]

with TemporaryDirectory() as folder:
    fitted = plan[0].execute(Path(folder) / "run")  # As ``mipl fit`` writes it.
    print(f"{plan[0]}: {fitted.evaluation.truth.accuracy:.3f}")

    store = Store(Path(folder) / "results.db", create=True)
    run_plan(plan[:4], store)  # "Interrupted" after four runs.
    progress = run_plan(plan, store)
    print(f"known {progress.known}, computed now {progress.ended.total()}")

    ours, theirs = (find_setting(store, name) for name in ("miplma", "demipl"))
    for cell in compare(store, ours, theirs):
        print(f"{cell.data}, {cell.splits} splits: {cell.a:.3f} and {cell.b:.3f}")
        print(f"p = {cell.p_value:.3f}, a {cell.verdict}")
