"""The documentation as a site: ``make docs`` writes it to build/site."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from sphinx.application import Sphinx  # noqa: E402
from tools.site_pages import to_project, write_pages  # noqa: E402

from mipl import __version__  # noqa: E402

project = "mipl"
version = release = __version__
copyright = "the authors of mipl"

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["site", "pictures", "gallery/*.py.md5", "gallery/*.codeobj.json"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"  # Types stand in the docstrings.
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/\d\d_(?!onnx_alone)",  # That one takes a model.
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "mipl"
html_static_path = ["site"]
html_css_files = ["mipl.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 3,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


def setup(app: Sphinx) -> None:
    """Lead links out of this folder to the pages that are made of what they name."""
    app.connect("source-read", _read)


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    if not name.startswith("project/"):
        source[0] = to_project(source[0], name.count("/"))


write_pages(Path(__file__).parent, ROOT / "results" / "runs.csv")
