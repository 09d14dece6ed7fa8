"""One feature in each file: its function, named as the file, adds it to a server."""
