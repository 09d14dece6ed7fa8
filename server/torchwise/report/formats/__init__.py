"""One format in each file, written by its function `write_<format>`."""
