"""The layout of the keys, versioned."""

from dibs.backends.redis.wire.connections import Lines
from dibs.engine.store.protocols import SchemaState

# Each step's version, and the oldest code that can work on the layout it leaves.
STEPS = {1: 1, 2: 1, 3: 1}
WANTED = max(STEPS)


class RedisSchema:
    """A step is one script that first looks whether somebody else has taken it."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def state(self) -> SchemaState:
        """Look, without changing anything."""
        key = f"{self._lines.address.tag}:schema"
        found, oldest_code = await self._lines.ask("HMGET", key, "version", "oldest_code")
        return SchemaState(found=int(found or 0), wanted=WANTED, oldest_code=int(oldest_code or 0))

    async def migrate(self) -> list[int]:
        """Take the steps that are missing, in order; tells which of them were taken here."""
        applied = []
        for version, oldest_code in STEPS.items():
            if await self._lines.run(f"migrations/{version:04d}", [version, oldest_code]) == 1:
                applied.append(version)
        return applied
