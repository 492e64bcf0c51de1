"""What bodies and parameters of all routes are made of."""
