"""Finding jobs for a page: by filters, or by a word that may be any of their names."""

from collections.abc import Iterator
from typing import Annotated

import msgspec
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.reading import JobFilter, Page, PageRequest
from dibs.server.call import Call
from dibs.server.shapes.parts import Name
from dibs.web.paging import LONGEST_CURSOR, read_cursor

PAGE = 50
# Jobs are counted one by one up to so many; beyond, the number is estimated.
MOST_COUNTED = 20_000
# What a word may be, after an id: those that an index finds first.
_NAMES = ("unique_key", "parent_id", "job_type", "queue", "source", "locked_by")

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
        return _as_found(await call.backend.reader.list_jobs(_make_filter(call, query), page))
    job = await call.lookups.find(query.q)
    if job is not None and call.can_see(job.tenant):
        return Found(jobs=[job], matched="id")
    for name, wanted in _guess(call, query):
        found = await call.backend.reader.list_jobs(wanted, page)
        if found.items:
            return _as_found(found, matched=name)
    return Found(jobs=[])


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
    return Found(jobs=page.items, next_cursor=page.next_cursor, matched=matched)


async def count_roughly(call: Call) -> Counted:
    """Count jobs if they are few; else tell about how many were ever stored, by the number of the newest."""
    tenant = call.principal.tenant
    newest = await call.backend.reader.list_jobs(JobFilter(), PageRequest(limit=1))
    total = newest.next_cursor or len(newest.items)
    if total <= MOST_COUNTED:
        counts = await call.backend.reader.count_jobs(JobFilter(tenant=tenant))
        return Counted(total=sum(counts.values()), by_state=counts)
    # How many others have stored is not for a tenant to know.
    return Counted(total=0 if tenant is not None else total)
