"""One waiting job for every reason why a job may not run, named like the reason."""

from datetime import timedelta
from typing import Any

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import KeyRule, Rule, TenantRule
from dibs.engine.admission.source import FetchReport, FetchVerdict, SourceRule
from dibs.engine.job import Job
from dibs.engine.store.backend import Backend

ACT = {"actor": "ann", "reason": "repairs"}
HOUR = timedelta(hours=1)
# What each job is told, and whether until when is told, too.
REASONS = {
    "not_due": ("it is not due yet", True),
    "gate": ("the gate of queue 'shut' is shut (drain) by ann: repairs", True),
    "source_disabled": ("source 'off' is disabled", False),
    "source_paused": ("source 'paused' is paused", True),
    "source_limited": ("source 'slow' is at its pace (1 a minute)", True),
    "source_awaited": ("1 running jobs hold the permits of source 'held'", False),
    "source_quota": ("source 'scarce' has used up its quota of 1 a day", True),
    "key_limit": ("1 of 1 jobs with the concurrency key 'host:a' are running", False),
    "tenant_cap": ("tenant 'capped' is at its cap: 1 of 1 jobs are running", False),
    "daily_budget": ("tenant 'poor' has no room for 0.000004 cents today", True),
    "monthly_budget": ("tenant 'broke' has no room for 0.000004 cents this month", True),
    "no_worker": ("no live worker takes 'MAIL' from queue 'default'", False),
}
RULES: tuple[Rule, ...] = (
    KeyRule(name="host:", max_running=1),
    TenantRule(name="capped", max_running=1),
    TenantRule(name="poor", daily_budget_microcents=5),
    TenantRule(name="broke", monthly_budget_microcents=5),
)
# Of these, one runs already.
TWICE: dict[str, dict[str, Any]] = {
    "source_awaited": {"source": "held"},
    "key_limit": {"concurrency_key": "host:a"},
    "tenant_cap": {"tenant": "capped"},
    "daily_budget": {"tenant": "poor", "max_cost_microcents": 4},
    "monthly_budget": {"tenant": "broke", "max_cost_microcents": 4},
}
ONCE: dict[str, dict[str, Any]] = {
    "gate": {"queue": "shut"},
    "source_disabled": {"source": "off"},
    "source_paused": {"source": "paused"},
    "source_limited": {"source": "slow"},
    "source_quota": {"source": "scarce"},
    "no_worker": {},
}


async def hold_back(backend: Backend) -> None:
    """Store the jobs, and what holds them back."""
    now = await backend.reader.now()
    gate = Gate(scope=GateScope.QUEUE, name="shut", mode=GateMode.DRAIN, expires_at=now + HOUR)
    for rule in (*RULES, gate):
        await backend.admission.set_rule(rule, **ACT)
    for name in ("slow", "held"):
        await backend.sources.declare(SourceRule(name=name, rate_limit_per_minute=1), **ACT)
    await backend.sources.declare(SourceRule(name="scarce", daily_quota=1), **ACT)
    assert (await backend.sources.take_permit("scarce")).granted
    # By what it says itself: its pace alone would hold a job back for a minute, which a busy machine may need.
    await backend.sources.report(FetchReport(source="slow", verdict=FetchVerdict.LIMITED, retry_after=HOUR))
    await backend.sources.pause("off", None, **ACT)
    await backend.sources.pause("paused", now + HOUR, **ACT)
    await backend.store_jobs([Job(id=f"first {code}", job_type="MAIL", **facts) for code, facts in TWICE.items()])
    assert len(await backend.claim_pending_jobs(10)) == len(TWICE)
    later = Job(id="not_due", job_type="MAIL", run_at=now + HOUR)
    waiting = [Job(id=code, job_type="MAIL", **facts) for code, facts in (ONCE | TWICE).items()]
    await backend.store_jobs([later, *waiting])
