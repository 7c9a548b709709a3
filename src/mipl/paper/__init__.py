"""The tables and figures of the MIPLMA paper, and what goes into them."""
