"""The stores. Each folder answers the protocols of `dibs.engine.store.protocols`, and none knows another."""
