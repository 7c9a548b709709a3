"""Registry rows: a method is a class, its arguments are a row."""
