"""Conversations of other formats on their way to trials: what the importers of all formats share."""
