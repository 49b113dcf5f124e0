"""What is shown of runs, trials and interactions: looked up, read and derived once, written as JSON or as a page."""
