"""Files, imports between them, classes, settings: what belongs to a project as a whole."""
