# What goes out; included by the Makefile behind the extensions, which say how npm installs.
.PHONY: release-check

release-check: setup $(NODE_INSTALLED) $(LAB_BUILT)  ## build what is released, install each in a clean environment, and use it
	$(PY) -m release.check
