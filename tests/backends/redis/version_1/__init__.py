"""Code of schema version 1, frozen: what it does to jobs."""

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
            args += (_member(job_id, token), "null", 0)
        answers: list[int] = await self._run("complete", args)
        return answers

    async def fail(self, held: list[tuple[str, int]]) -> list[bytes]:
        """Let jobs fail in a way that may pass, to be retried at once."""
        error = '{"type":"ValueError","message":"old"}'
        failures = [pack((_member(*one), "transient", error, "ValueError", 0, 0, 3)) for one in held]
        answers: list[bytes] = await self._run("fail", failures)
        return answers

    async def snooze(self, held: list[tuple[str, int]]) -> list[int]:
        """Give jobs back, due at once."""
        args = [word for one in held for word in (_member(*one), 0, "snoozed", 0)]
        answers: list[int] = await self._run("snooze", args)
        return answers

    async def heartbeat(self, held: list[tuple[str, int]], micros: int = 300_000_000) -> list[int]:
        """Renew leases."""
        answers: list[int] = await self._run("heartbeat", [micros, *(_member(*one) for one in held)])
        return answers

    async def reap(self, limit: int) -> list[str]:
        """Take lapsed jobs back; gives their ids."""
        answers = await self._run("reap", [limit, 3, '{"type":"Quarantined","message":"', '"}'])
        return [answer[0].decode() for answer in answers]

    async def cancel(self, job_ids: list[str]) -> list[bytes]:
        """Cancel jobs as an operator."""
        answers: list[bytes] = await self._run("cancel", ["old-operator", "a test", *job_ids])
        return answers

    async def _run(self, name: str, args: list[Any]) -> Any:
        return await self._lines.evaluate(make_script(_read_script(name)), args)


def _member(job_id: str, token: int) -> str:
    return f"{token:016d}{job_id}"


def _read_script(name: str) -> str:
    """Put a script together: its first line names the parts that stand before it."""
    folder = files(__name__)
    header, _, body = (folder / f"{name}.lua").read_text("utf-8").partition("\n")
    parts = [(folder / "parts" / f"{part}.lua").read_text("utf-8") for part in header.removeprefix("--@ ").split()]
    return "".join([*parts, body])
