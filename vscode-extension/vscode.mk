# The VS Code extension; included by the Makefile.
.PHONY: vscode vscode-check vscode-test

NODE_INSTALLED := node_modules/.installed

$(NODE_INSTALLED): package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

check: vscode-check
vscode-check: setup $(NODE_INSTALLED)
	$(PY) -m torchwise.lsp.declared --check
	npm --workspace vscode-extension run check

gen: vscode-gen
vscode-gen: setup
	$(PY) -m torchwise.lsp.declared
