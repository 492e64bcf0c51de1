"""The commands about jobs: store, look at, move, count and forget them."""
