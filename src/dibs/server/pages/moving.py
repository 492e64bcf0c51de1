"""All jobs that a page was narrowed down to, retried or cancelled at once."""

from typing import Any, Literal, Self

import msgspec
from pydantic import BaseModel, ConfigDict, model_validator
from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.engine.states import REVIVABLE, State
from dibs.engine.store.operating import MOST, Act, Moved
from dibs.server.actions import jobs
from dibs.server.call import Asked
from dibs.server.observing.finding import Counted, Found, JobsQuery
from dibs.server.pages.listing import make_address
from dibs.server.shapes.jobs import ActOnAllBody
from dibs.web.pages.doors import make_page_router, page
from dibs.web.pages.forms import read_form
from dibs.web.pages.shell import go_to
from dibs.web.pages.showing import number
from dibs.web.shapes.parts import Name, Reason

router = make_page_router()
NAMED = ("tenant", "queue", "job_type", "source", "locked_by", "parent_id")
DONE = {Act.RETRY: "pending again", Act.CANCEL: "cancelled"}
LEFT = {
    "key_taken": "another unfinished job has their unique key",
    "not_revivable": "somebody was quicker",
    "already_final": "they had ended meanwhile",
    "missing": "they were forgotten meanwhile",
}


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What can be done to all jobs that a page shows some of; `count` where it is known."""

    act: Act
    state: State
    count: int | None
    hidden: dict[str, str]
    fitting: str


def offer_act(query: JobsQuery, found: Found, counts: Counted) -> Offer | None:
    """Offer what the state of the jobs allows. Without a state, or for a single job, there is nothing to offer."""
    if query.state is None or query.state is State.SUCCEEDED or not found.jobs or found.matched == "id":
        return None
    given = {name: str(value) for name, value in query if name != "cursor" and value is not None}
    named = {name: value for name, value in given.items() if name not in ("state", "q")}
    if found.matched is not None:
        given["matched"] = found.matched
        named[found.matched] = given["q"]
    return Offer(
        act=Act.RETRY if query.state in REVIVABLE else Act.CANCEL,
        state=query.state,
        count=_count(query, found, counts, is_all=not named),
        hidden=given,
        fitting=", ".join(f"{name.replace('_', ' ')} {value}" for name, value in named.items()),
    )


def _count(query: JobsQuery, found: Found, counts: Counted, *, is_all: bool) -> int | None:
    if query.cursor is None and found.next_cursor is None:
        return len(found.jobs)
    if is_all and counts.by_state is not None and query.state is not None:
        return counts.by_state.get(query.state)
    return None


class AllForm(BaseModel):
    """Which jobs are meant, and why. A field that is not known is refused: without it, more jobs would be meant."""

    model_config = ConfigDict(extra="forbid")

    reason: Reason
    state: State
    q: Name | None = None
    matched: Literal["unique_key", "parent_id", "job_type", "queue"] | None = None
    tenant: Name | None = None
    queue: Name | None = None
    job_type: Name | None = None
    source: Name | None = None
    locked_by: Name | None = None
    parent_id: Name | None = None

    @model_validator(mode="after")
    def _names_what_is_searched(self) -> Self:
        if (self.q is None) != (self.matched is None) or (self.matched and getattr(self, self.matched, None)):
            message = "a word that was searched for comes with the name that it is"
            raise ValueError(message)
        return self

    def as_body(self) -> ActOnAllBody:
        """Say the same as the API does."""
        named: dict[str, Any] = {name: getattr(self, name) for name in NAMED}
        if self.matched is not None:
            named[self.matched] = self.q
        return ActOnAllBody(reason=self.reason, states=[self.state], limit=MOST, **named)


@router.post("/jobs/all/retry", **page(Scope.JOBS_OPERATE))
async def retry_all(call: Asked) -> Response:
    """Put back every job that fits."""
    return await _move(call, Act.RETRY)


@router.post("/jobs/all/cancel", **page(Scope.JOBS_OPERATE))
async def cancel_all(call: Asked) -> Response:
    """Cancel every job that fits."""
    return await _move(call, Act.CANCEL)


async def _move(call: Asked, act: Act) -> Response:
    form = await read_form(call, AllForm)
    moved = await jobs.move_all(call, act, form.as_body())
    return go_to(make_address("/jobs", form.model_dump(exclude={"reason", "matched"})), _tell(act, moved))


def _tell(act: Act, moved: Moved) -> str:
    said = [f"{number(moved.moved)} {'job is' if moved.moved == 1 else 'jobs are'} {DONE[act]}."]
    said += [f"{number(count)} left alone: {LEFT[verdict]}." for verdict, count in moved.left.items()]
    if moved.next_cursor is not None:
        said.append("There are more: do it once more.")
    return " ".join(said)
