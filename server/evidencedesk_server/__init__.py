"""The language server: the only package that knows LSP. Invariant: its event loop never computes."""
