"""Studies, as plans of the runner, and the page of all results."""
