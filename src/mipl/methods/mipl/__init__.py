"""Multi-instance partial-label methods."""
