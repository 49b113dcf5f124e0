"""Puts figures on paper with matplotlib. Only who draws imports this room: matplotlib takes most of a second to load."""
