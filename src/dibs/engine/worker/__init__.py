"""The worker: what it holds, how it runs handlers, and the thread that keeps its leases alive."""
