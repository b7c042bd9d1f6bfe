"""Changes that span files: renaming, moving, mending all at once. Invariant: pure; Snapshot → edits or a refusal."""
