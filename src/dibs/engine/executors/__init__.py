"""Where handlers run: on the event loop, in threads, in processes of their own."""
