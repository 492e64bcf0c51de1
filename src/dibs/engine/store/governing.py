"""Rules and sources as people use them, with what they ask checked first."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from msgspec.structs import replace

from dibs.engine.admission.gate import Gate
from dibs.engine.admission.keeping import Admission, Sources
from dibs.engine.admission.obstacle import Standing
from dibs.engine.admission.rules import Rule, rule_key
from dibs.engine.admission.source import FetchReport, Permit, Source, SourceRule
from dibs.engine.job import Lease
from dibs.engine.store.checks import admitting, moving
from dibs.engine.store.checks.values import LARGEST_NUMBER, check_instant, check_name, check_whole_number, is_name
from dibs.engine.store.moves import ClaimRequest, OperatorAct
from dibs.errors import RecordMoved

# A notice to workers that rules have changed. A queue of this name would merely make them look more often.
RULES_NOTICE = "dibs:rules"


class GuardedAdmission:
    """The rules, and what they mean for one job."""

    def __init__(self, admission: Admission, tell: Callable[[str], Awaitable[None]]) -> None:
        self._admission = admission
        self._tell = tell

    async def set_rule(self, rule: Rule, *, actor: str, reason: str) -> None:
        """Keep a rule, or take it away if it says nothing. Once this returns, no claim goes by the old one."""
        await self._set(rule, OperatorAct(actor=actor, reason=reason))

    async def replace_rule(self, expected: Rule, rule: Rule, *, actor: str, reason: str) -> None:
        """Do the same, only in the place of the rule that is expected; RecordMoved if that does not hold any more."""
        await self._set(rule, OperatorAct(actor=actor, reason=reason), expected)

    async def _set(self, rule: Rule, act: OperatorAct, expected: Rule | None = None) -> None:
        act = moving.fit_act(act)
        if isinstance(rule, Gate):
            rule = replace(rule, actor=act.actor, reason=act.reason, set_at=None)
        rule = admitting.fit_rule(rule)
        if not await self._admission.set_rule(rule, act, expected):
            raise RecordMoved(f"rule {':'.join(rule_key(rule))}")
        # Workers look at once: at what they run if a gate was shut, and for what may run now.
        await self._tell(RULES_NOTICE)

    async def list_rules(self) -> list[Rule]:
        """Read all rules that hold, by kind and name."""
        return await self._admission.list_rules()

    async def list_gates(self) -> list[Gate]:
        """Read the gates that are shut."""
        return [rule for rule in await self.list_rules() if isinstance(rule, Gate)]

    async def find_standing(self, job_id: str) -> Standing | None:
        """Read all that decides whether a job may run."""
        return await self._admission.find_standing(job_id) if is_name(job_id) else None

    async def find_first(self, job_id: str) -> str | None:
        """Name the job that stands first where this one waits; None: this one does, or it does not stand there yet."""
        return await self._admission.find_first(job_id) if is_name(job_id) else None

    async def find_wake(self, request: ClaimRequest) -> timedelta | None:
        """Tell after how long this claim may bring something by the passing of time alone."""
        moving.check_claim(request)
        return await self._admission.find_wake(request)


class GuardedSources:
    """Sources of data."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    async def declare(self, rule: SourceRule, *, actor: str, reason: str) -> Source:
        """Keep what is declared of a source."""
        return await self._declare(rule, OperatorAct(actor=actor, reason=reason))

    async def replace(self, expected: SourceRule, rule: SourceRule, *, actor: str, reason: str) -> Source:
        """Do the same, only in the place of what is expected; RecordMoved if something else is declared by now."""
        return await self._declare(rule, OperatorAct(actor=actor, reason=reason), expected)

    async def _declare(self, rule: SourceRule, act: OperatorAct, expected: SourceRule | None = None) -> Source:
        admitting.check_source_rule(rule)
        source = await self._sources.declare(rule, moving.fit_act(act), expected)
        if source is None:
            raise RecordMoved(f"source {rule.name}")
        return source

    async def find(self, name: str) -> Source | None:
        """Read one source."""
        return (await self._sources.find_sources([name]))[0] if is_name(name) else None

    async def list_sources(self) -> list[Source]:
        """Read all sources that were declared or reported on, by name."""
        return await self._sources.list_sources()

    async def pause(self, name: str, until: datetime | None = None, *, actor: str, reason: str) -> Source:
        """Give no permit before `until` (None: not before it is resumed)."""
        check_name(name, "source")
        if until is not None:
            check_instant(until, "until")
        return await self._sources.pause(name, until, moving.fit_act(OperatorAct(actor=actor, reason=reason)))

    async def resume(self, name: str, *, actor: str, reason: str) -> Source:
        """Enable a source, end its pause and its wait, close its breaker."""
        check_name(name, "source")
        return await self._sources.resume(name, moving.fit_act(OperatorAct(actor=actor, reason=reason)))

    async def take_permit(self, name: str, lease: Lease | None = None, *, hop_of: int | None = None) -> Permit:
        """Spend one permit now, or learn when to ask again; to follow a redirect, name the token of its fetch."""
        check_name(name, "source")
        if lease is not None:
            moving.check_leases([lease])
        if hop_of is not None:
            check_whole_number(hop_of, "hop_of", 0, LARGEST_NUMBER)
        return await self._sources.take_permit(name, lease, hop_of)

    async def report(self, report: FetchReport) -> Source:
        """Note how a fetch went."""
        return await self._sources.report(admitting.fit_report(report))
