"""Rules that change, sources that fail and recover, and permits, while jobs come and go."""

from datetime import timedelta
from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from dibs.engine.admission.gate import Gate, GateMode, GateScope
from dibs.engine.admission.rules import KeyRule, QueueRule, Rule, TenantRule
from dibs.engine.admission.source import FetchReport, FetchVerdict, SourceRule
from dibs.engine.audit.sealing import chain
from dibs.engine.store.backend import Backend
from dibs.testing.machine.pair import MODEL, REAL, Hold, Tokens
from dibs.testing.machine.stage import Stage
from dibs.testing.machine.values import MINUTE, QUEUES, TENANTS, TYPES

SOURCES = st.sampled_from(["ebay", "ebay", "pcgs"])
PAUSES = st.sampled_from([None, 5 * MINUTE, 15 * MINUTE])
ACT = {"actor": "op", "reason": "because"}
SCOPES = {
    GateScope.GLOBAL: st.just(""),
    GateScope.TENANT: TENANTS,
    GateScope.QUEUE: QUEUES,
    GateScope.JOB_TYPE: TYPES,
    GateScope.SOURCE: SOURCES,
}
LIMITS: st.SearchStrategy[Rule] = st.one_of(
    st.builds(
        TenantRule,
        name=TENANTS,
        max_running=st.sampled_from([None, None, 0, 1, 3]),
        weight=st.integers(1, 3),
        daily_budget_microcents=st.sampled_from([None, 3, 9]),
        monthly_budget_microcents=st.sampled_from([None, 12]),
    ),
    st.builds(TenantRule, name=TENANTS),
    st.builds(QueueRule, name=QUEUES, fair=st.booleans()),
    st.builds(KeyRule, name=st.sampled_from(["host", "host:", "host:a"]), max_running=st.integers(1, 3)),
)
DECLARATIONS = st.builds(
    SourceRule,
    name=SOURCES,
    rate_limit_per_minute=st.sampled_from([None, 1, 1, 2]),
    burst=st.integers(1, 3),
    daily_quota=st.sampled_from([None, None, 2]),
    failure_limit=st.integers(1, 2),
    pause=st.just(5 * MINUTE),
    enabled=st.sampled_from([None, True, True, False]),
)

PACES = st.builds(
    SourceRule,
    name=SOURCES,
    rate_limit_per_minute=st.sampled_from([1, 2]),
    burst=st.just(1),
    failure_limit=st.just(2),
    pause=st.just(5 * MINUTE),
)


class Governing(Stage):
    """Admission, from all its sides."""

    @rule(data=st.data(), scope=st.sampled_from(GateScope), mode=st.sampled_from(GateMode), expires_in=PAUSES)
    def turn_gate(self, data: st.DataObject, scope: GateScope, mode: GateMode, expires_in: timedelta | None) -> None:
        """Shut a gate, or open it."""
        name = data.draw(SCOPES[scope])
        nows = self.run(self.pair.read_clocks())
        ends = [None if expires_in is None or mode is GateMode.OPEN else now + expires_in for now in nows]
        gates = [Gate(scope=scope, name=name, mode=mode, expires_at=end) for end in ends]
        self.do(lambda backend, side: backend.admission.set_rule(gates[side], **ACT))

    @rule()
    def open_gates(self) -> None:
        """Open all gates, so that histories do not stand still."""
        self.do(lambda backend, _: open_all(backend))

    @rule(limit=LIMITS)
    def set_limit(self, limit: Rule) -> None:
        """Set a rule for a tenant, a queue or a key."""
        self.do(lambda backend, _: backend.admission.set_rule(limit, **ACT))

    @rule(declaration=DECLARATIONS)
    def declare_source(self, declaration: SourceRule) -> None:
        """Declare a source, perhaps anew."""
        self.do(lambda backend, _: backend.sources.declare(declaration, **ACT))

    @rule(name=SOURCES, pause=PAUSES)
    def pause_source(self, name: str, pause: timedelta | None) -> None:
        """Pause a source, for a while or until it is resumed."""
        nows = self.run(self.pair.read_clocks())
        untils = [None if pause is None else now + pause for now in nows]
        self.do(lambda backend, side: backend.sources.pause(name, untils[side], **ACT))

    @rule(name=SOURCES)
    def resume_source(self, name: str) -> None:
        """Resume a source."""
        self.do(lambda backend, _: backend.sources.resume(name, **ACT))

    @rule(name=SOURCES, pick=st.integers(0, 1_000), is_in_job=st.booleans())
    def take_permit(self, name: str, pick: int, *, is_in_job: bool) -> None:
        """Take a permit for a job, also with a stale lease, or outside of jobs."""
        for hold in self.pick([pick], self.pair.holds if is_in_job else [None]):
            self._take(name, hold, None)

    @rule(name=SOURCES, pick=st.integers(0, 1_000), of=st.integers(0, 1_000), is_in_job=st.booleans())
    def claim_redirect(self, name: str, pick: int, of: int, *, is_in_job: bool) -> None:
        """Take a permit for a hop: after any fetch that there was, of this job or of another, or after none."""
        for hold in self.pick([pick], self.pair.holds if is_in_job else [None]):
            self._take(name, hold, self._pick_tokens(of))

    @rule(pace=PACES, pick=st.integers(0, 1_000), hops=st.integers(1, 2))
    def follow_redirects(self, pace: SourceRule, pick: int, hops: int) -> None:
        """Fetch from a source whose rate has just been changed, and go where it sends."""
        self.declare_source(pace)
        for hold in self.pick([pick], [None, *self.pair.holds]):
            tokens = self._take(pace.name, hold, None)
            for _ in range(hops):
                self._take(pace.name, hold, tokens)

    @rule(name=SOURCES, pick=st.integers(0, 1_000), verdict=st.sampled_from(FetchVerdict), retry_after=PAUSES)
    def report(self, name: str, pick: int, **facts: Any) -> None:
        """Report a fetch, of a job or from outside."""
        self.do(partial(report, name, self._pick_tokens(pick), facts))

    def _take(self, name: str, hold: Hold | None, hop_of: Tokens | None) -> Tokens:
        given: dict[int, int] = {}
        self.do(partial(take_permit, name, hold, hop_of, given))
        # Where the connection broke, one side was told nothing.
        tokens = (given[MODEL], given[REAL]) if given.get(MODEL) and given.get(REAL) else (0, 0)
        if hold is None and tokens != (0, 0):
            self.pair.lone_tokens.append(tokens)
        return tokens

    def _pick_tokens(self, pick: int) -> Tokens:
        """Choose under what a fetch is known: nothing, what it was given outside of jobs, or a lease, stale or not."""
        held = [(hold[MODEL].token, hold[REAL].token) for hold in self.pair.holds]
        # Last comes first: of many, the newest are those that still mean something.
        return self.pick([pick], [(0, 0), *reversed(self.pair.lone_tokens), *held])[0]

    @rule(limit=st.integers(1, 5))
    def seal(self, limit: int) -> None:
        """Seal a part of the log's tail."""
        self.do(lambda backend, _: seal_some(backend, limit))


async def open_all(backend: Backend) -> None:
    """Open every gate that is shut."""
    for gate in await backend.admission.list_gates():
        await backend.admission.set_rule(Gate(scope=gate.scope, name=gate.name, mode=GateMode.OPEN), **ACT)


async def take_permit(
    name: str, hold: Hold | None, hop_of: Tokens | None, given: dict[int, int], backend: Backend, side: int
) -> tuple[bool, bool, bool, bool]:
    """Take a permit; when to come again is compared with the sources themselves."""
    lease, token = None if hold is None else hold[side], None if hop_of is None else hop_of[side]
    permit = await backend.sources.take_permit(name, lease, hop_of=token)
    given[side] = permit.token
    return permit.granted, permit.is_lease_lost, permit.until is None, permit.token != 0


async def report(name: str, tokens: Tokens, facts: dict[str, Any], backend: Backend, side: int) -> Any:
    """Report on a source."""
    return await backend.sources.report(FetchReport(source=name, token=tokens[side], **facts))


async def seal_some(backend: Backend, limit: int) -> list[tuple[str, int]]:
    """Seal the oldest entries of one tenant: on both sides as many, and in one write, which happens whole or not."""
    tail, heads = await backend.audit.list_unsealed(), await backend.audit.list_heads()
    # Entries of one instant may come in any order, so that a part of the tail is the same only within one tenant.
    tenant = min((entry.tenant for entry in tail), default="")
    batches = chain([entry for entry in tail if entry.tenant == tenant][:limit], heads)
    for seals in batches:
        assert await backend.audit.seal(seals)
    return [(seals[-1].tenant, seals[-1].position) for seals in batches]
