"""The rules in memory, and what they mean for one job."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from msgspec.structs import replace

from dibs.backends.memory.world import World
from dibs.engine.admission.entries import rule_action, rule_body, rule_change, rule_subject, rule_tenant
from dibs.engine.admission.gate import Gate
from dibs.engine.admission.obstacle import Standing, find_obstacles
from dibs.engine.admission.rules import Rule, is_same, rule_key, says_nothing
from dibs.engine.job import Job
from dibs.engine.states import WAITING
from dibs.engine.store.moves import ClaimRequest, OperatorAct


class MemoryAdmission:
    """Set and read."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rules = world.books.rules

    async def set_rule(self, rule: Rule, act: OperatorAct, expected: Rule | None = None) -> bool:
        """Keep a rule, or take it away if it says nothing."""
        with self._world:
            if expected is not None and not is_same(self._rules.get(rule_key(rule)), expected):
                return False
            before = self._rules.pop(rule_key(rule), None)
            after = None if says_nothing(rule) else rule
            if after is not None:
                self._rules[rule_key(rule)] = self._dated(after)
            detail = rule_change(_body(before), _body(after))
            self._world.record_act(rule_action(rule), rule_subject(rule), act, tenant=rule_tenant(rule), detail=detail)
            self._world.line_up_anew()
            return True

    def _dated(self, rule: Rule) -> Rule:
        return replace(rule, set_at=self._world.now) if isinstance(rule, Gate) else rule

    async def list_rules(self) -> list[Rule]:
        """Read all rules that hold."""
        with self._world:
            return [rule for _, rule in sorted(self._rules.items()) if self._holds(rule)]

    def _holds(self, rule: Rule) -> bool:
        return not isinstance(rule, Gate) or rule.is_shut(self._world.now)

    async def find_standing(self, job_id: str) -> Standing | None:
        """Read all that decides whether a job may run."""
        with self._world:
            job = self._world.jobs.get(job_id)
            return None if job is None else self._world.describe(job)

    async def find_first(self, job_id: str) -> str | None:
        """Name the job that stands first where this one waits."""
        with self._world:
            job = self._world.jobs.get(job_id)
            return None if job is None else self._world.find_first(job)

    async def find_wake(self, request: ClaimRequest) -> timedelta | None:
        """Tell after how long this claim may bring something by the passing of time alone."""
        with self._world:
            waiting = (job for job in self._world.jobs.values() if job.state in WAITING and request.wants(job))
            instants = [instant for job in waiting for instant in self._instants(job)]
            return max(min(instants) - self._world.now, timedelta(0)) if instants else None

    def _instants(self, job: Job) -> Iterator[datetime]:
        """Tell when a waiting job may run by the passing of time alone, as far as can be seen from here."""
        if job.run_at is not None and job.run_at > self._world.now:
            yield job.run_at
            return
        untils = [obstacle.until for obstacle in find_obstacles(job, self._world.describe(job), self._world.now)]
        first = untils[0] if untils else self._world.now
        if first is not None:
            yield first


def _body(rule: Rule | None) -> bytes | None:
    if isinstance(rule, Gate):
        rule = replace(rule, set_at=None)
    return None if rule is None else rule_body(rule)
