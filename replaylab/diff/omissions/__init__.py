"""What exists, had to be shown and was not."""
