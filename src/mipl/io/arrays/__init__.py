"""NumPy arrays and archives of unknown origin."""
