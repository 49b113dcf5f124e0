"""One call under inspection, and what has happened before it."""
