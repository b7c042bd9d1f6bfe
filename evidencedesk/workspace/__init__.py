"""A folder of documents and labels, kept evaluated. Invariant: the only package of the core that touches the disk."""
