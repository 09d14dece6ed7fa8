"""Text in, tree out: parsing, positions, comments and notebook cells. Never fails."""
