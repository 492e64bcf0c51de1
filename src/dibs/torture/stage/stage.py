"""One stage: a place in a store, wires to it, crews, load, and what is written down of it all."""

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

import msgspec

from dibs.assembly import open_backend
from dibs.engine.job import Job
from dibs.engine.states import UNFINISHED
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import JobFilter
from dibs.errors import StoreError
from dibs.settings import Settings
from dibs.torture.faults.handles import ServerHandle
from dibs.torture.faults.namespace import PORT
from dibs.torture.faults.wire import Wire
from dibs.torture.history.diary import Diary
from dibs.torture.history.recording import record_backend
from dibs.torture.report.cells import Minute
from dibs.torture.stage import program
from dibs.torture.stage.crew import Crew, CrewPlan
from dibs.torture.stage.load import Load
from dibs.torture.stage.operators import Operators
from dibs.torture.stage.places import Place
from dibs.torture.stage.watch import Watch

LOOK = 0.2
DEATH = "cli.child.died"


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """When something was broken."""

    what: str
    begin: float
    end: float


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A copy of the store as it was at an instant."""

    at: float
    url: str


class Stage:
    """Use as `async with Stage(…)`: everything that was started is ended at the end, whatever happens."""

    def __init__(self, place: Place, folder: Path, chance: random.Random, server: ServerHandle | None = None) -> None:
        self.place = place
        self.folder = folder
        self.chance = chance
        self.server = server
        self.watch = Watch(folder)
        self.wires: dict[str, Wire] = {}
        self.crews: dict[str, Crew] = {}
        self.spans: list[Span] = []
        self.snapshots: list[Snapshot] = []
        self.notes: list[str] = []
        self.complaints: list[str] = []
        self.minutes: list[Minute] = []
        self.forgot_at: float | None = None
        self.control: Backend
        self._exits = AsyncExitStack()
        self._load: Load | None = None

    async def __aenter__(self) -> Self:
        self.control = await open_backend(self.place.url, settings=Settings(url=self.place.url, worker_id="control"))
        self._exits.push_async_callback(_close_quietly, self.control)
        await self.place.prepare(self.control)
        return self

    async def __aexit__(self, *_: object) -> None:
        for crew in self.crews.values():
            crew.end()
        await asyncio.gather(*(crew.leave() for crew in self.crews.values()))
        await self._exits.aclose()
        for wire in self.wires.values():
            await wire.stop()

    async def make_url(self, name: str, **options: str) -> str:
        """Give the way to the store for one client: through a wire of its own, where there can be one."""
        if self.place.address is None:
            return self.place.through("", 0, **options)
        if name not in self.wires:
            self.wires[name] = await Wire(*self.place.address).start()
        return self.place.through("127.0.0.1", self.wires[name].port, **options)

    async def hire(self, name: str, plan: CrewPlan) -> None:
        """Start a crew."""
        types = (*plan.types, "BOOK") if self.place.book and "COUNT" in plan.types else plan.types
        plan = msgspec.structs.replace(plan, types=types)
        options = plan.options.get(self.place.kind, {})
        url = (
            self.place.through("127.0.0.1", PORT, **options) if plan.is_apart else await self.make_url(name, **options)
        )
        crew = self.crews[name] = Crew(name, url, self.folder, plan)
        if plan.is_apart and self.place.address is not None:
            self.wires[name] = await Wire(*self.place.address).start(crew.socket)
        crew.start({program.BOOK: self.place.book} if self.place.book else {})

    async def dismiss(self, *, may_die: bool) -> None:
        """Let all crews leave gently; complain of those who did not, and of workers who died without being killed."""
        codes = await asyncio.gather(*(crew.leave() for crew in self.crews.values()))
        self.complaints += [
            f"{name} left with exit code {code}" for name, code in zip(self.crews, codes, strict=True) if code
        ]
        deaths = sum(path.read_text(errors="replace").count(DEATH) for path in self.folder.glob("*.log"))
        if deaths:
            told = self.notes if may_die else self.complaints
            told.append(f"workers died {deaths} times, and were started again by their supervisor")

    async def open_client(self, name: str) -> Backend:
        """Open a handle whose questions are written down."""
        url = await self.make_url(name)
        backend = await open_backend(url, settings=Settings(url=url, worker_id=name))
        self._exits.push_async_callback(_close_quietly, backend)
        return record_backend(backend, Diary(self.folder, name))

    async def begin_load(self, pace: float, types: tuple[str, ...]) -> None:
        """Let jobs come."""
        if self.place.book and "COUNT" in types:
            types = (*types, "BOOK")
        client = await self.open_client("load")
        self._load = Load(client, pace, types, Operators(client, self.chance))
        self._load.start()

    async def end_load(self) -> None:
        """Let no more come."""
        if self._load is not None:
            await self._load.stop()

    async def pause_load(self) -> None:
        """Let nothing come for a moment, and wait until nothing is under way."""
        await self.end_load()

    def resume_load(self) -> None:
        """Let jobs come again."""
        if self._load is not None:
            self._load.start()

    async def until_final(self, job_ids: list[str], seconds: float) -> bool:
        """Wait until jobs have ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with suppress(StoreError):
                found = await self.control.reader.find_jobs(job_ids)
                if all(job is not None and job.is_final for job in found):
                    return True
            await asyncio.sleep(LOOK)
        self.notes.append(f"{', '.join(job_ids)} did not end in {seconds:g} s")
        return False

    async def until_drained(self, seconds: float) -> bool:
        """Wait until every job has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with suppress(StoreError):
                counts = await self.control.reader.count_jobs(JobFilter(states=UNFINISHED))
                if not sum(counts.values()):
                    return True
            await asyncio.sleep(LOOK)
        return False

    async def store(self, job_type: str, number: int = 1, **given: object) -> str:
        """Store one job of our own, surely."""
        job_id = f"{job_type.lower()}-{number}"
        if self._load is None:
            raise RuntimeError("nothing can be stored before the load has begun")
        await self._load.store_surely(Job(id=job_id, job_type=job_type, input=given))
        return job_id

    def give_sign(self, job_id: str) -> None:
        """Let a handler that waits for it go on."""
        (self.folder / f"{job_id}.go").touch()

    @contextmanager
    def broken(self, what: str) -> Iterator[None]:
        """Note when something is broken."""
        begin = time.monotonic()
        try:
            yield
        finally:
            self.spans.append(Span(what=what, begin=begin, end=time.monotonic()))


async def _close_quietly(backend: Backend) -> None:
    try:
        async with asyncio.timeout(5):
            await backend.close()
    except Exception:  # noqa: BLE001 - the stage is taken down; nobody is left to care
        return
