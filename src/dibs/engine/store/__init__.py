"""What is asked of a store, and the Backend that stands above every one of them."""
