"""The 25 steps of the auditor's checklist, a file a theme."""
