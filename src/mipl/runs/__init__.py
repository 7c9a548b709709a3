"""Runs and what is measured of them."""
