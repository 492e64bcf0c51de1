"""Why is it not running? The answer for any job, in words."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.obstacle import Obstacle, ObstacleKind, Standing, find_obstacles
from dibs.engine.job import Job
from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import WorkerCard
from dibs.kit.money import to_cents

NOT_DUE, BEHIND, NO_WORKER, NO_SLOT = "not_due", "behind", "no_worker", "no_slot"


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that keeps a job from running: a stable code, a sentence, and until when if that is known.

    `job_id`: the job that has to run first, where one does.
    """

    code: str
    sentence: str
    until: datetime | None = None
    job_id: str | None = None


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Where a job stands, and everything that keeps it from running; nothing does if there are no reasons."""

    job_id: str
    state: State
    summary: str
    reasons: tuple[Reason, ...] = ()


async def explain(backend: Backend, job_id: str) -> Explanation:
    """Tell why a job is not running."""
    job = await backend.get_job(job_id)
    if job.is_final or job.state is State.RUNNING:
        return Explanation(job_id=job_id, state=job.state, summary=_describe_settled(job))
    standing = await backend.admission.find_standing(job_id) or Standing()
    now, cards = await backend.reader.now(), await backend.workers.list_workers()
    first = await backend.admission.find_first(job_id)
    reasons = (*_find_obstacles(job, standing, now), *_look_ahead(first), *_look_for_workers(job, cards))
    return Explanation(job_id=job_id, state=job.state, summary=_summarise(job, reasons), reasons=reasons)


def _describe_settled(job: Job) -> str:
    if job.state is State.RUNNING:
        return f"it is running: {job.locked_by} holds it."
    if job.state is State.SUCCEEDED:
        return "it is done: it succeeded."
    ended = "it was cancelled" if job.state is State.CANCELLED else "it failed for good"
    return f"{ended}; an operator can put it back: dibs jobs retry {job.id} --reason …"


def _summarise(job: Job, reasons: Sequence[Reason]) -> str:
    if not reasons:
        return "nothing holds it back: a worker takes it with its next claim."
    waits = "it waits to be tried again" if job.state is State.RETRYABLE else "it waits"
    return f"{waits}: {reasons[0].sentence}"


def _find_obstacles(job: Job, standing: Standing, now: datetime) -> Iterator[Reason]:
    if job.run_at is not None and job.run_at > now:
        yield Reason(code=NOT_DUE, sentence="it is not due yet.", until=job.run_at)
    for obstacle in find_obstacles(job, standing, now):
        sentence = _SENTENCES[obstacle.kind](obstacle, standing, job)
        yield Reason(code=obstacle.kind, sentence=sentence, until=_find_end(obstacle, standing, job))


def _find_end(obstacle: Obstacle, standing: Standing, job: Job) -> datetime | None:
    """Tell when an obstacle ends by itself. No new day has room for a job that asks for more than a whole one."""
    budget = _budget_of(obstacle, standing)
    return None if budget is not None and job.max_cost_microcents > budget else obstacle.until


def _budget_of(obstacle: Obstacle, standing: Standing) -> int | None:
    if standing.tenant is None:
        return None
    if obstacle.kind is ObstacleKind.DAILY_BUDGET:
        return standing.tenant.daily_budget_microcents
    return standing.tenant.monthly_budget_microcents if obstacle.kind is ObstacleKind.MONTHLY_BUDGET else None


def _look_ahead(first: str | None) -> Iterator[Reason]:
    if first is not None:
        sentence = f"others wait before it, job {first} first; whatever holds that one, holds it."
        yield Reason(code=BEHIND, sentence=sentence, job_id=first)


def _look_for_workers(job: Job, cards: Sequence[WorkerCard]) -> Iterator[Reason]:
    takers = [card for card in cards if _takes(card, job)]
    if not takers:
        sentence = f"no live worker takes {job.job_type!r} from queue {job.queue!r}; start one: dibs worker --app …"
        yield Reason(code=NO_WORKER, sentence=sentence)
    elif all(card.held >= card.slots for card in takers):
        slots = sum(card.slots for card in takers)
        sentence = f"all {slots} slots of the {len(takers)} workers that take it are busy."
        yield Reason(code=NO_SLOT, sentence=sentence)


def _takes(card: WorkerCard, job: Job) -> bool:
    is_working = card.state == "working" and job.job_type in card.job_types
    return is_working and (card.queues is None or job.queue in card.queues) and card.tenant in (None, job.tenant)


def _at_gate(obstacle: Obstacle, _standing: Standing, _job: Job) -> str:
    gate = obstacle.gate or Gate(scope=GateScope.GLOBAL, mode=GateMode.CLOSED)
    where = "the global gate" if not gate.name else f"the gate of {gate.scope.replace('_', ' ')} {gate.name!r}"
    return f"{where} is shut ({gate.mode}) by {gate.actor}: {gate.reason}"


def _source_disabled(obstacle: Obstacle, _standing: Standing, _job: Job) -> str:
    return f"source {obstacle.name!r} is disabled; dibs sources resume {obstacle.name} --reason …"


def _source_paused(obstacle: Obstacle, standing: Standing, _job: Job) -> str:
    source = standing.source
    if source is not None and source.is_held:
        return f"source {obstacle.name!r} is paused by an operator; dibs sources resume {obstacle.name} --reason …"
    streak = source.failure_streak if source else 0
    after = f" after {streak} failure{'s' * (streak > 1)} in a row" if streak else ""
    return f"source {obstacle.name!r} is paused{after}."


def _source_probing(obstacle: Obstacle, _standing: Standing, _job: Job) -> str:
    return f"source {obstacle.name!r} failed, and one job tries now whether it is well again."


def _source_limited(obstacle: Obstacle, standing: Standing, _job: Job) -> str:
    rate = standing.source.rule.rate_limit_per_minute if standing.source else None
    pace = f" ({rate} a minute)" if rate else ""
    return f"source {obstacle.name!r} is at its pace{pace}."


def _source_awaited(obstacle: Obstacle, standing: Standing, _job: Job) -> str:
    return f"{standing.reserved_permits} running jobs hold the permits of source {obstacle.name!r}."


def _source_quota(obstacle: Obstacle, standing: Standing, _job: Job) -> str:
    quota = standing.source.rule.daily_quota if standing.source else None
    return f"source {obstacle.name!r} has used up its quota of {quota} a day."


def _key_limit(obstacle: Obstacle, standing: Standing, _job: Job) -> str:
    return (
        f"{standing.key_running} of {standing.key_limit} jobs with the concurrency key {obstacle.name!r} are running."
    )


def _tenant_cap(obstacle: Obstacle, standing: Standing, _job: Job) -> str:
    most = standing.tenant.max_running if standing.tenant else None
    return f"tenant {obstacle.name!r} is at its cap: {standing.tenant_running} of {most} jobs are running."


def _daily_budget(obstacle: Obstacle, standing: Standing, job: Job) -> str:
    return _over_budget(obstacle, standing, job, ("day", "today"), standing.spent_today_microcents)


def _monthly_budget(obstacle: Obstacle, standing: Standing, job: Job) -> str:
    return _over_budget(obstacle, standing, job, ("month", "this month"), standing.spent_this_month_microcents)


def _over_budget(obstacle: Obstacle, standing: Standing, job: Job, times: tuple[str, str], spent: int) -> str:
    period, now = times
    budget = _budget_of(obstacle, standing) or 0
    amounts = [spent, standing.reserved_microcents, job.max_cost_microcents, budget]
    spent_cents, reserved, wanted, whole = (to_cents(amount) for amount in amounts)
    if job.max_cost_microcents > budget:
        advice = "raise the budget, or cancel it and enqueue it with a lower max_cost."
        return f"it asks for {wanted} cents, more than all of tenant {obstacle.name!r}'s {whole} a {period}: {advice}"
    left = f"{spent_cents} cents spent and {reserved} reserved of {whole}"
    if not job.max_cost_microcents:
        return f"tenant {obstacle.name!r} is over its budget {now}, so that nothing of it starts: {left}."
    return f"tenant {obstacle.name!r} has no room for {wanted} cents {now}: {left}."


_SENTENCES = {
    ObstacleKind.GATE: _at_gate,
    ObstacleKind.SOURCE_DISABLED: _source_disabled,
    ObstacleKind.SOURCE_PAUSED: _source_paused,
    ObstacleKind.SOURCE_PROBING: _source_probing,
    ObstacleKind.SOURCE_LIMITED: _source_limited,
    ObstacleKind.SOURCE_AWAITED: _source_awaited,
    ObstacleKind.SOURCE_QUOTA: _source_quota,
    ObstacleKind.KEY_LIMIT: _key_limit,
    ObstacleKind.TENANT_CAP: _tenant_cap,
    ObstacleKind.DAILY_BUDGET: _daily_budget,
    ObstacleKind.MONTHLY_BUDGET: _monthly_budget,
}
