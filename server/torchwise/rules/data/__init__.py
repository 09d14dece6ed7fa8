"""Datasets, samplers and loaders."""
