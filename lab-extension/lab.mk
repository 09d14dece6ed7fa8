# The JupyterLab extension; included by the Makefile behind the other extension, which says how npm installs.
.PHONY: lab lab-check lab-test

LAB_SOURCES := $(shell find lab-extension/src lab-extension/style lab-extension/schema -type f) lab-extension/package.json
LAB_BUILT := server/torchwise/labextension/package.json
LAB_SHARE := $(VENV)/share/jupyter/labextensions/@torchwise

$(LAB_BUILT): $(NODE_INSTALLED) $(LAB_SOURCES)
	npm --workspace lab-extension run build
	@touch $@

lab: setup $(LAB_BUILT)  ## build the JupyterLab extension into the virtual environment
	@mkdir -p $(LAB_SHARE)
	@ln -sfn $(CURDIR)/server/torchwise/labextension $(LAB_SHARE)/lab

check: lab-check
lab-check: $(NODE_INSTALLED)
	npm --workspace lab-extension run check

test: lab-test
lab-test: lab
	npm --workspace lab-extension run test
	PYTHON=$(CURDIR)/$(PY) npm --workspace lab-extension run test:e2e
