"""Who writes files: only through ``mipl.files``, or in a place that it gave."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "mipl"

# What opens a file for writing, and the functions that are given a place for it.
PLACES = {
    "files.py": {"open", "fsync", "append_bytes"},
    "datasets/download.py": None,  # A part of a download, renamed when it is whole.
    "io/tables/csv_file.py": {"put_rows"},
    "io/tables/parquet_file.py": {"put_pieces"},
    "io/hdf5_target.py": {"new_hdf5"},
    "io/matlab/mat_write.py": {"put"},
    "io/matlab/mat73_write.py": {"save73"},
    "io/arrays/archive.py": {"write_arrays"},
    "io/folders/folder_write.py": {"_save"},
    "io/arrays/zip_file.py": {"unpack"},  # Into a folder that is renamed after it.
    "fenced/server.py": {"_answer"},  # A pipe.
    "reports/plots.py": {"save", "as_svg", "as_png"},
    "page/figure_log.py": {"append"},  # A line more; the last may be cut off.
    "page/jobs.py": {"_begin"},  # What the process of a job prints.
    "runs/folder_lock.py": {"_held"},  # Nothing is read from it but who holds it.
}
WRITERS = {"write_text", "write_bytes", "savefig", "savemat", "ParquetWriter", "savez"}


def raw_writes(tree: ast.AST):
    """Give (function, call) of all that opens a file for writing."""
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and opens_for_writing(node):
                yield function.name, ast.unparse(node)[:80]


def opens_for_writing(call: ast.Call) -> bool:
    target = call.func
    name = (
        target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    )
    on = ast.unparse(target.value) if isinstance(target, ast.Attribute) else ""
    if name in ("open", "File", "ZipFile", "fdopen"):
        modes = [a.value for a in call.args if isinstance(a, ast.Constant)]
        modes += [
            k.value.value
            for k in call.keywords
            if k.arg == "mode" and isinstance(k.value, ast.Constant)
        ]
        return any(
            isinstance(m, str) and set(m) <= set("rwaxbt+") and set(m) & set("wax+")
            for m in modes
        )
    if name == "save" and on == "np":
        return True
    # Ours are called by name; those of a path are methods.
    return name in WRITERS and (
        name not in ("write_text", "write_bytes") or (bool(on) and on != "files")
    )


def test_files_are_written_in_the_known_places_only():
    found = {}
    for file in sorted(SOURCE.rglob("*.py")):
        name = file.relative_to(SOURCE).as_posix()
        allowed = PLACES.get(name, set())
        for function, call in raw_writes(ast.parse(file.read_text())):
            if allowed is not None and function not in allowed:
                found.setdefault(name, []).append(f"{function}: {call}")
    assert found == {}


def test_the_walk_sees_what_it_looks_for():
    text = (
        "def f(p):\n p.write_text('a')\n open(p, 'w')\n p.open('ab')\n"
        " h5py.File(p, 'w')\n np.save(p, 1)\n p.open(mode='x')\n"
        " p.open()\n write_text(p, 'a')\n open(p, 'rb')\n"
    )
    assert len(list(raw_writes(ast.parse(text)))) == 6


def test_hdf5_files_are_made_in_one_place():
    """The library crashes the interpreter where a write of its own fails."""
    makers = [
        file.relative_to(SOURCE).as_posix()
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "h5py.File"
        and not any(isinstance(a, ast.Constant) and a.value == "r" for a in node.args)
    ]
    assert makers == ["io/hdf5_target.py"]
