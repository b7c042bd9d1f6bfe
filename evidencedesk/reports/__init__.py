"""Snapshot → text for people and programs. Invariant: a report computes no result of its own."""
