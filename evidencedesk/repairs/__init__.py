"""Repairs that several rules offer. Invariant: pure; what a repair does not name it leaves as it is."""
