"""The few ways to change code: text edits planned by rules, placed by the engine, applied by `apply`."""
