"""The words of the project as frozen values. No I/O."""
