"""Base classes of the methods."""
