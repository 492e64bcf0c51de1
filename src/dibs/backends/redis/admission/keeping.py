"""The rules on Redis, and what they mean for one job."""

from datetime import timedelta

from dibs.backends.redis.admission.rules import build_rule, pack_rule
from dibs.backends.redis.admission.standing import build_standing
from dibs.backends.redis.moves.claiming import FROM_THE_FRONT, claim_arguments
from dibs.backends.redis.rows import instant
from dibs.backends.redis.wire.connections import Lines, Word
from dibs.engine.admission.entries import rule_action, rule_body, rule_subject, rule_tenant
from dibs.engine.admission.gate import Gate
from dibs.engine.admission.obstacle import Standing
from dibs.engine.admission.rules import Rule, is_same, rule_key, says_nothing
from dibs.engine.store.moves import ClaimRequest, OperatorAct
from dibs.errors import OutcomeUnknown, StoreUnavailable

# A script blocks everybody while it runs: so many jobs change their lane at once.
_LOOK = 1_000


class RedisAdmission:
    """Set and read."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def set_rule(self, rule: Rule, act: OperatorAct, expected: Rule | None = None) -> bool:
        """Keep a rule, or take it away if it says nothing."""
        kept: Word | None = "" if expected is None else await self._find_kept(expected)
        if kept is None or not await self._lines.run("admission/set_rule", [*_arguments(rule, act), kept]):
            return False
        try:
            await self._relane(rule)
        except StoreUnavailable as error:
            # The rule holds: claims move those whom they meet. Only the order in a fair queue may not be right yet.
            message = f"the rule {':'.join(rule_key(rule))} is set, but jobs were not moved: {error} Set it again."
            raise OutcomeUnknown(message) from error
        return True

    async def _find_kept(self, expected: Rule) -> bytes | None:
        """Read a rule as it is kept, byte for byte, if it is the one that is expected: the script looks again."""
        kept: bytes | None = await self._lines.ask(
            "HGET", f"{self._lines.address.tag}:rules", ":".join(rule_key(expected))
        )
        return kept if kept is not None and is_same(build_rule(kept), expected) else None

    async def _relane(self, rule: Rule) -> None:
        """Let jobs in plain lines that are governed from now on wait where a claim meets them as such."""
        kind, name = rule_key(rule)
        is_of_tenant = kind == "tenant" or name.startswith("tenant:")
        if says_nothing(rule) or not (kind == "queue" or is_of_tenant):
            return
        for lane in await self._lines.ask("ZRANGE", f"{self._lines.address.tag}:lanes", 0, -1):
            if is_of_tenant or lane.decode().startswith(f"{name}\x1f"):
                await self._relane_line(lane)

    async def _relane_line(self, lane: bytes) -> None:
        place: bytes | None = FROM_THE_FRONT.encode()
        while place is not None:
            place = await self._lines.run("admission/relane", [lane, place, _LOOK])

    async def list_rules(self) -> list[Rule]:
        """Read all rules that hold."""
        stamp, packed = await self._lines.run("admission/list_rules", is_write=False)
        rules = [build_rule(one) for one in packed]
        now = instant(stamp)
        return sorted((rule for rule in rules if not isinstance(rule, Gate) or rule.is_shut(now)), key=rule_key)

    async def find_standing(self, job_id: str) -> Standing | None:
        """Read all that decides whether a job may run."""
        answer = await self._lines.run("admission/find_standing", [job_id], is_write=False)
        return None if answer is None else build_standing(answer)

    async def find_first(self, job_id: str) -> str | None:
        """Name the job that stands first where this one waits."""
        first = await self._lines.run("admission/find_first", [job_id], is_write=False)
        return None if first is None else first.decode()

    async def find_wake(self, request: ClaimRequest) -> timedelta | None:
        """Tell after how long this claim may bring something by the passing of time alone."""
        args = claim_arguments(request, FROM_THE_FRONT)
        answer = await self._lines.run("admission/find_wake", args, is_write=False)
        return None if answer is None else timedelta(microseconds=int(answer))


def _arguments(rule: Rule, act: OperatorAct) -> list[Word]:
    is_kept = not says_nothing(rule)
    gate = (rule.scope.value, rule.name) if isinstance(rule, Gate) else ("", "")
    return [
        *rule_key(rule),
        pack_rule(rule) if is_kept else "",
        rule_body(rule) if is_kept else "null",
        rule_action(rule),
        rule_subject(rule),
        rule_tenant(rule),
        act.actor,
        act.reason,
        *gate,
    ]
