"""Audits of published results: what tables and sentences say, against each other and against recordings."""
