"""Finding jobs for a page: by filters, or by a word that may be any of their names."""

from collections.abc import Iterator
from typing import Annotated

import msgspec
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.reading import JobFilter, Page, PageRequest
from dibs.server.call import Call
from dibs.web.paging import LONGEST_CURSOR, read_cursor
from dibs.web.shapes.parts import Name

PAGE = 50
# Jobs are counted one by one up to so many; beyond, the number is estimated.
MOST_COUNTED = 20_000
MOST_OFFERED, LATELY = 100, 60
# How many jobs a page looks through for those that fit, where no index tells. Unsuccessful ones have an index of their
# own, but stand on a page of the table each.
REACH, SPARSE = 200_000, 2
UNSUCCESSFUL = frozenset({State.FAILED, State.CANCELLED})
# A word may be any of several names, so each is looked for less far.
GUESSING_REACH = 40_000
# What a word may be, after an id: those that an index finds first.
INDEXED = ("unique_key", "parent_id")
_NAMES = ("unique_key", "parent_id", "job_type", "queue")

# A form sends empty fields as well; they mean that nothing is wanted.
_Blank = BeforeValidator(lambda value: None if value == "" else value)
Wanted = Annotated[Name | None, _Blank]


class JobsQuery(BaseModel):
    """Which jobs a page shows."""

    model_config = ConfigDict(extra="forbid")

    q: Wanted = None
    state: Annotated[State | None, _Blank] = None
    tenant: Wanted = None
    queue: Wanted = None
    job_type: Wanted = None
    source: Wanted = None
    locked_by: Wanted = None
    parent_id: Wanted = None
    cursor: str | None = Field(None, max_length=LONGEST_CURSOR)

    @property
    def is_narrow(self) -> bool:
        """Whether anything is asked for."""
        return any(value is not None for name, value in self if name != "cursor")


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A page of jobs. `is_cut`: not all that there are were looked through."""

    jobs: list[Job]
    next_cursor: int | None = None
    is_cut: bool = False
    matched: str | None = None


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """How many jobs there are; by state where they were counted."""

    total: int
    by_state: dict[State, int] | None = None


async def find_jobs(call: Call, query: JobsQuery) -> Found:
    """Read one page of the jobs that are meant."""
    page = PageRequest(cursor=read_cursor(query.cursor), limit=PAGE)
    if query.q is None:
        wanted = _make_filter(call, query)
        reaching = msgspec.structs.replace(page, reach=find_reach(wanted))
        return _as_found(await call.backend.reader.list_jobs(wanted, reaching))
    job = await call.lookups.find(query.q)
    if job is not None and call.can_see(job.tenant):
        return Found(jobs=[job], matched="id")
    is_cut = False
    for name, wanted in _guess(call, query):
        reaching = msgspec.structs.replace(page, reach=None if name in INDEXED else GUESSING_REACH)
        found = await call.backend.reader.list_jobs(wanted, reaching)
        if found.items:
            return _as_found(found, matched=name)
        is_cut = is_cut or found.next_cursor is not None
    return Found(jobs=[], is_cut=is_cut)


def find_reach(wanted: JobFilter) -> int | None:
    """Bound how far back to look for what no index finds; None: an index finds it, or everything fits."""
    names = [name for name in wanted.__struct_fields__ if name != "states" and getattr(wanted, name) is not None]
    if not names or any(name in INDEXED for name in names):
        return None
    is_sparse = wanted.states is not None and wanted.states <= UNSUCCESSFUL
    return REACH * SPARSE if is_sparse else REACH


def _guess(call: Call, query: JobsQuery) -> Iterator[tuple[str, JobFilter]]:
    base = _make_filter(call, query)
    for name in _NAMES:
        if getattr(base, name) is None:
            yield name, msgspec.structs.replace(base, **{name: query.q})


def _make_filter(call: Call, query: JobsQuery) -> JobFilter:
    return JobFilter(
        states=None if query.state is None else frozenset({query.state}),
        tenant=call.find_tenant(query.tenant),
        queue=query.queue,
        job_type=query.job_type,
        source=query.source,
        locked_by=query.locked_by,
        parent_id=query.parent_id,
    )


def _as_found(page: Page[Job], matched: str | None = None) -> Found:
    is_cut = page.next_cursor is not None and len(page.items) < PAGE
    return Found(jobs=page.items, next_cursor=page.next_cursor, is_cut=is_cut, matched=matched)


async def count_roughly(call: Call) -> Counted:
    """Count jobs if they are few; else tell about how many were ever stored, by the number of the newest."""
    tenant = call.principal.tenant
    samples = await call.app.state.chronicle.read()
    total = samples[-1].stored if samples else 0
    if total <= MOST_COUNTED:
        counts = await call.backend.reader.count_jobs(JobFilter(tenant=tenant))
        return Counted(total=sum(counts.values()), by_state=counts)
    # How many others have stored is not for a tenant to know.
    return Counted(total=0 if tenant is not None else total)


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """Names that a page offers while somebody types; there may be others."""

    types: list[str]
    queues: list[str]
    tenants: list[str]


async def find_known(call: Call) -> Known:
    """Give the names of tasks, and of the queues and tenants that had something to do lately."""
    types = sorted(call.engine.tasks)
    samples = (await call.app.state.chronicle.read())[-LATELY:] if call.principal.tenant is None else []
    queues = {name for sample in samples for name in sample.queues or ()}
    tenants = {name for sample in samples for name in sample.tenants or ()}
    return Known(types=types[:MOST_OFFERED], queues=_cut(queues), tenants=_cut(tenants))


def _cut(names: set[str]) -> list[str]:
    return sorted(names)[:MOST_OFFERED]
