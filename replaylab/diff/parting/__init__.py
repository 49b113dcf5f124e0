"""Several simulators beside each other: which recordings answer the same, and where they part."""
