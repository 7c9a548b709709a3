"""Speed and choices, measured side by side."""
