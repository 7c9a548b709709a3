"""What a fitted method keeps in files, and how."""
