"""What goes over the wire: bodies that are read, and shapes of what is answered."""
