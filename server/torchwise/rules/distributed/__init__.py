"""Several processes that must agree."""
