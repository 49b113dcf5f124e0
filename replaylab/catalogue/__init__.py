"""Scenarios, tasks and twins from disk: folders that people can read and edit."""
