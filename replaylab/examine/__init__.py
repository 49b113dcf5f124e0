"""Whether scenarios are fit for use: their files, their twins, and whether their checks catch what is wrong."""
