"""What every request passes before it comes to a door."""
