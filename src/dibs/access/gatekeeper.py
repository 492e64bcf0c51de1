"""Recognising who asks."""

from typing import Protocol

from dibs.access.principal import Principal


class Gatekeeper(Protocol):
    """Knows keys and sessions. None: nobody that it knows."""

    async def authenticate_key(self, secret: str) -> Principal | None:
        """Recognise an API key."""

    async def authenticate_session(self, cookie: str, *, is_use: bool = True) -> Principal | None:
        """Recognise the session of a user of the dashboard; one that is only looked at ends as if it were not."""
