"""What was shown although it does not exist."""
