"""Statistics that tables stand on: numbers in, numbers out. Clusters are scenarios, seeds are explicit, never a NaN."""
