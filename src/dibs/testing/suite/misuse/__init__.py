"""Those who ask for the wrong thing, leave in the middle, or have a wrong clock."""
