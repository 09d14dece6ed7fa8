"""What a torch version says of itself, generated from its own files."""
