"""An operator who changes rules at random, beside those who work: only such that no check counts on."""

import random
from datetime import timedelta

import dibs
from dibs.engine.admission.rules import Rule
from dibs.errors import DibsError

ACT = {"actor": "op", "reason": "at random"}
LOUD = "loud"
LOOSE = "loose:a"
RICH = "rich"
SHARED = "shared"
JOBS = 2_000
GATES = ((dibs.GateScope.TENANT, RICH), (dibs.GateScope.QUEUE, SHARED), (dibs.GateScope.SOURCE, LOUD))


class RandomOperator:
    """Shuts and opens gates, pauses a source, caps and frees a tenant, cancels and puts back, one act a time."""

    def __init__(self, backend: dibs.Backend, chance: random.Random) -> None:
        self._backend = backend
        self._chance = chance

    async def act(self) -> None:
        """Do one thing; another operator may have been there first."""
        acts = (self._turn_gate, self._limit, self._change_source, self._cancel, self._put_back)
        try:
            await self._chance.choice(acts)()
        except DibsError:
            return

    async def _turn_gate(self) -> None:
        pick = self._chance.choice
        scope, name = pick(GATES)
        mode = pick(list(dibs.GateMode))
        ends_in = timedelta(milliseconds=self._chance.randint(5, 200))
        # Some are left shut by whoever is killed: their end opens them.
        ends_at = None if mode is dibs.GateMode.OPEN else await self._backend.reader.now() + ends_in
        await self._set(dibs.Gate(scope=scope, name=name, mode=mode, expires_at=ends_at))

    async def _limit(self) -> None:
        pick = self._chance.choice
        rules: tuple[Rule, ...] = (
            dibs.TenantRule(name=RICH),
            dibs.TenantRule(name=RICH, max_running=pick((1, 3)), weight=pick((1, 7))),
            dibs.TenantRule(name=RICH, daily_budget_microcents=pick((0, 50))),
            dibs.KeyRule(name=LOOSE, max_running=pick((1, 2, 4))),
            dibs.QueueRule(name=SHARED, fair=pick((True, False))),
        )
        await self._set(pick(rules))

    async def _set(self, rule: Rule) -> None:
        await self._backend.admission.set_rule(rule, **ACT)

    async def _change_source(self) -> None:
        pick = self._chance.choice
        way = pick(("pause", "resume", "declare"))
        if way == "pause":
            ends_in = timedelta(milliseconds=self._chance.randint(5, 200))
            await self._backend.sources.pause(LOUD, await self._backend.reader.now() + ends_in, **ACT)
        elif way == "resume":
            await self._backend.sources.resume(LOUD, **ACT)
        else:
            await self._backend.sources.declare(loud_source(pick((None, 6_000)), pick((1, 5))), **ACT)

    async def _cancel(self) -> None:
        await self._backend.cancel_jobs([self._pick_job()], **ACT)

    async def _put_back(self) -> None:
        await self._backend.retry_jobs([self._pick_job()], **ACT)

    def _pick_job(self) -> str:
        """Pick one whose end no record tells: a hold that is taken away would look as if it went on."""
        while is_recorded(number := self._chance.randrange(JOBS)):
            pass
        return f"job-{number}"


def loud_source(rate: int | None = None, burst: int = 1) -> dibs.SourceRule:
    """Declare the source that operators may change; its breaker lets go within a test."""
    pause = timedelta(milliseconds=250)
    return dibs.SourceRule(name=LOUD, rate_limit_per_minute=rate, burst=burst, pause=pause)


def is_recorded(number: int) -> bool:
    """Tell whether a check counts the holds of a job: every third job is left out of all of them."""
    return number % 3 != 0
