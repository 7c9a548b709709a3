"""Models as graphs that other programs run, without this library."""
