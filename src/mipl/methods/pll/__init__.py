"""Partial-label methods."""
