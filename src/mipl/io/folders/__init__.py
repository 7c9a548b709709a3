"""Folders with a file per bag."""
