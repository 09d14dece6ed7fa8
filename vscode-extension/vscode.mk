# The VS Code extension; included by the Makefile.
.PHONY: vscode vscode-check vscode-gen vscode-test

NODE_INSTALLED := node_modules/.installed

$(NODE_INSTALLED): package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

vscode: setup $(NODE_INSTALLED)  ## open VS Code in the browser, with the extension, on the demo project
	PYTHON=$(CURDIR)/$(PY) bash vscode-extension/scripts/open.sh

check: vscode-check
vscode-check: setup $(NODE_INSTALLED)
	$(PY) -m torchwise.lsp.declared --check
	npm --workspace vscode-extension run check

# The oldest VS Code that it is made for runs what depends on VS Code most; the newest runs everything.
test: vscode-test
vscode-test: setup $(NODE_INSTALLED)
	npm --workspace vscode-extension test
	PYTHON=$(CURDIR)/$(PY) bash vscode-extension/scripts/e2e.sh new old

gen: vscode-gen
vscode-gen: setup
	$(PY) -m torchwise.lsp.declared
