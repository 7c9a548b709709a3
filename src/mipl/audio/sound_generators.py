"""The generators of recordings by name, as commands call them."""

from mipl.generators.generator_catalog import GeneratorCatalog

CATALOG = GeneratorCatalog(
    "mipl audio to-bags",
    {
        "energy": "mipl.audio.energy_segments:EnergySegments",
        "windows": "mipl.audio.time_windows:TimeWindows",
    },
    "mipl.audio.recordings:Recording",
)
