"""Rules of one family; each file is one rule."""
