"""The language server: the only layer that knows LSP, and that columns can count in UTF-16."""
