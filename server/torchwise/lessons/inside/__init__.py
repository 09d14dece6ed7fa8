"""What is run in the process that proves lessons: it is started, never imported."""
