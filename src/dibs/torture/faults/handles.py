"""Hands on a server's own process. Only those who started the server can give them; a user's store has none."""

from typing import Protocol


class ServerHandle(Protocol):
    """A server that may be broken. `keeps` tells whether what it acknowledged survives its being killed."""

    @property
    def keeps(self) -> bool:
        """Whether a killed server comes back with everything it acknowledged."""

    def start(self) -> None:
        """Start it again, on the same port."""

    def stop(self, mode: str) -> None:
        """Stop it as an operator would: `fast`, or `immediate`, where the server knows the difference."""

    def kill(self) -> None:
        """Kill it as a crash would."""

    def find_sessions(self) -> list[int]:
        """Give the processes that serve single connections, where there are such."""
