"""What is broken, one file a scenario, and the list of them all."""
