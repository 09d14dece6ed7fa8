"""What a value may be. Imports nothing of ours."""
