"""Code of schema version 1, frozen: how it stores, claims and completes."""

from importlib.resources import files
from typing import Any

import msgspec

from dibs.backends.redis.wire.connections import Lines
from dibs.backends.redis.wire.scripts import make_script

pack = msgspec.msgpack.encode


class OldCode:
    """Sends what the old release sent, and nothing else."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def store(self, job_ids: list[str]) -> None:
        """Store jobs of type "test"."""
        args: list[Any] = [-1, "", 0, "keep"]
        for job_id in job_ids:
            args.append(pack((job_id, "default\x1ftest", "default", 0, False, False)))
            args.append(pack(("default", "default", "test", 3, None, None, None, None)))
            args.append("{}")
        assert (await self._run("store", args))[0] == b"stored"

    async def claim(self, limit: int) -> list[tuple[str, int]]:
        """Claim any jobs; gives ids and tokens."""
        nothing = pack(False)
        rows, _, token, _ = await self._run("claim", ["old", limit, 300_000_000, "", "-1", nothing, nothing, nothing])
        return [(job_id.decode(), token + index) for index, job_id in enumerate(rows[::2])]

    async def complete(self, held: list[tuple[str, int]]) -> list[int]:
        """Complete jobs."""
        args: list[Any] = []
        for job_id, token in held:
            args += (f"{token:016d}{job_id}", "null", 0)
        answers: list[int] = await self._run("complete", args)
        return answers

    async def _run(self, name: str, args: list[Any]) -> Any:
        text = (files("tests.backends.redis.version_1") / f"{name}.lua").read_text("utf-8")
        return await self._lines.evaluate(make_script(text), args)
