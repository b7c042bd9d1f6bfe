"""The sample knowledge bases that ship with the package. Invariant: the only reader of its own data files."""
