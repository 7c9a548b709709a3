"""The methods, and how to name, build and save them."""
