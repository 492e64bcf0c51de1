"""Ten processes bring an empty store up to date at once."""

import asyncio
import os
import sys
from tempfile import TemporaryDirectory

from dibs.assembly import open_backend
from dibs.engine.job import Job
from dibs.torture.scenarios.scenario import Scenario
from dibs.torture.stage.places import Place, make_place
from dibs.torture.stage.stage import Stage

PROCESSES = 10


async def strike(stage: Stage) -> None:
    """Let them all begin together; all must succeed, and the store must work."""
    place = make_place(stage.place.url, f"{stage.chance.randrange(1 << 24):06x}m")
    with stage.broken("ten processes migrating"), TemporaryDirectory() as folder:
        codes = await asyncio.gather(*(_migrate(place, folder) for _ in range(PROCESSES)))
    try:
        stage.notes += [f"dibs db migrate ended with {code}: {said}" for code, said in codes if code]
        async with await open_backend(place.url, migrate=False) as backend:
            await backend.store_job(Job(id="first", job_type="COUNT"))
            if await backend.claim_pending_job() is None:
                stage.notes.append("the store that they made gives no job out")
            await place.remove(backend)
    finally:
        place.remove_files()


async def _migrate(place: Place, folder: str) -> tuple[int, str]:
    # Named, because the tables beside the jobs could otherwise be those that somebody lives from.
    tables = f"sqlite:///{folder}/tables.db" if place.kind == "redis" else place.url
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "dibs.cli", "db", "migrate", "--url", place.url),
        env={**os.environ, "DIBS_TABLES_URL": tables},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    return process.returncode or 0, said.decode(errors="replace")[-200:]


SCENARIO = Scenario(
    name="migrate-at-once", title="ten processes migrating an empty store at once", strike=strike, is_bare=True
)
