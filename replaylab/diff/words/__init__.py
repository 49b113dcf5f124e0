"""What names, texts and observations are made of, before any contract is known."""
