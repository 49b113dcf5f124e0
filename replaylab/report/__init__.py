"""Results as markdown, CSV, LaTeX and HTML."""
