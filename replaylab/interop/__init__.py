"""Outside formats, one file each."""
