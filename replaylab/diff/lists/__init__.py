"""Rules on what lists show of things: what is known of these by now is held against all that a list says."""
