"""Saving, reproducibility, and names that torch gives up."""
