"""The generators of documents by name, as commands call them."""

from mipl.generators.generator_catalog import GeneratorCatalog

CATALOG = GeneratorCatalog(
    "mipl text to-bags",
    {
        "passages": "mipl.text.units:Passages",
        "sentences": "mipl.text.units:Sentences",
        "windows": "mipl.text.units:WordWindows",
    },
    "mipl.text.documents:Document",
)
