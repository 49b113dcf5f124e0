"""What was shown otherwise than it is."""
