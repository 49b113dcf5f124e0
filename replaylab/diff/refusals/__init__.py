"""What was refused or denied, and whether anything licenses that."""
