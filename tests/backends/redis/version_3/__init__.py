"""Code of the first day of version 3, frozen: how it stored jobs that name a concurrency key."""

from importlib.resources import files
from typing import Any

import msgspec

from dibs.backends.redis.wire.connections import Lines
from dibs.backends.redis.wire.scripts import make_script

pack = msgspec.msgpack.encode


async def store_keyed(lines: Lines, jobs: list[tuple[str, str]]) -> None:
    """Store jobs of type "test", each with its id and its key, in lanes that are named without a cost."""
    args: list[Any] = [-1, "", 0, "keep"]
    for job_id, key in jobs:
        lane = f"default\x1ftest\x1fdefault\x1f\x1f{key}"
        args.append(pack((job_id, lane, "default", 0, False, False, True)))
        args.append(pack(("default", "default", "test", 3, None, key, None, None)))
        args.append("{}")
    script = make_script((files(__name__) / "store.lua").read_text("utf-8"))
    assert (await lines.evaluate(script, args))[0] == b"stored"
