"""Run the notebooks from top to bottom and keep what they show.

python scripts/notebooks.py
"""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"


def main() -> None:
    """Run each and write it back."""
    for file in sorted(FOLDER.glob("*.ipynb")):
        book = nbformat.read(file, as_version=4)
        NotebookClient(book, timeout=600, kernel_name="python3").execute()
        for cell in book.cells:
            cell.metadata.pop("execution", None)  # The hour of it is nobody's matter.
        nbformat.write(book, file)
        print(file.name)


if __name__ == "__main__":
    main()
