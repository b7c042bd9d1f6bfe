"""Scripts that measure, each beside the obvious alternative. Invariant: never part of the test run."""
