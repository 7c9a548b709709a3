"""Estimators around estimators."""
