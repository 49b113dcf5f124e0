"""Decides typed claims, one function a type."""
