"""Attacks in numbers: run by ``make attack``, in pieces that resume."""
