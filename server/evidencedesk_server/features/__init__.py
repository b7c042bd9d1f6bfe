"""One file per editor feature: register, then thin handlers. Invariant: features never import each other."""
