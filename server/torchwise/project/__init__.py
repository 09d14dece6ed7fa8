"""Files, imports, classes and memory: what interpretation asks of everything outside one scope."""
