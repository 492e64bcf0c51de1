"""What is held about one person: finding it, giving it out, forgetting it."""
