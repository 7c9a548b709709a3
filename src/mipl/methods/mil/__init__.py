"""Multi-instance methods."""
