"""Everything that stands on the stage while a fault strikes: a place in the store, workers, load, wires."""
