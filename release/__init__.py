"""What is done before a release: one version everywhere, and artefacts that work where nothing else is."""
