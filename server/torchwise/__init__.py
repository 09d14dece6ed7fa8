"""Torchwise reads PyTorch code the way torch will run it, and says what will go wrong before it does."""

__version__ = "0.1.0"
