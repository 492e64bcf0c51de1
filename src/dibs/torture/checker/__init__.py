"""Whether what was written down can be true of a store that keeps its promises."""
