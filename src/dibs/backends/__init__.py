"""The stores. Each folder answers the protocols of `dibs.engine.protocols`, and none knows another."""
