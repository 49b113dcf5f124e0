"""One module a table."""
