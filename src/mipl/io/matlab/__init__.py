"""MATLAB files, read and written."""
