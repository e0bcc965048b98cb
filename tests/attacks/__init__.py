"""Submissions that cheat, break, or come in a broken file, made on the small course of tests/fixtures/pipeline."""
