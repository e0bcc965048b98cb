"""Forgetting on purpose: keeping a long-term store small.  Chapter 10."""
