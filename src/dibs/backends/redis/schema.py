"""The layout of the keys, versioned."""

from dibs.backends.redis.wire.connections import Lines
from dibs.engine.store.protocols import SchemaState

# Each step's version, and the oldest code that can work on the layout it leaves; a step may find that it must be newer.
STEPS = {1: 1, 2: 1, 3: 1, 4: 1}
WANTED = max(STEPS)
_TAKEN, _UNDER_WAY = 1, 2


class RedisSchema:
    """A step is a script that first looks whether somebody else has taken it, called until it is done."""

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
            if await self._take(version, oldest_code) == _TAKEN:
                applied.append(version)
        return applied

    async def _take(self, version: int, oldest_code: int) -> int:
        while True:
            answer: int = await self._lines.run(f"migrations/{version:04d}", [version, oldest_code])
            if answer != _UNDER_WAY:
                return answer
