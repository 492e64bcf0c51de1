"""What can be wrong with etcd: members that do not answer, no majority to spare, no space."""

from datetime import timedelta

import msgspec

from dibs.backends.etcd.faults import Gone
from dibs.backends.etcd.gateway import Answer, Gateway
from dibs.engine.store.checkup import Finding, ok, problem, warning
from dibs.errors import StoreError
from dibs.kit.figures import show_bytes, show_span

ENOUGH_MEMBERS = 3
LARGEST_OFFSET = timedelta(seconds=2)


class Status(msgspec.Struct, frozen=True):
    """What a member says of itself."""

    version: str = "unknown"
    leader: int = 0
    size: int = msgspec.field(name="dbSize", default=0)


class Members(msgspec.Struct, frozen=True):
    """Who belongs to the cluster."""

    members: list[msgspec.Raw] = []


class Alarm(msgspec.Struct, frozen=True):
    """Something that the cluster itself calls wrong."""

    kind: str = msgspec.field(name="alarm", default="NONE")


class Alarms(msgspec.Struct, frozen=True):
    """All that is wrong in the cluster's own eyes."""

    alarms: list[Alarm] = []


class EtcdExaminer:
    """Asks every member that the URL names."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def examine(self) -> list[Finding]:
        """Look at everything; without a member that answers there is nothing more to see."""
        answers, silent = await self._ask_all()
        shown = f"named leases are on etcd at {self._gateway.address.shown}, below {self._gateway.address.prefix}"
        if not answers:
            reasons = "; ".join(silent)
            return [
                problem("leases", f"{shown}, and no member answers: {reasons}", "Look at DIBS_LEASES_URL, and etcd.")
            ]
        findings = [check_answers(shown, answers, silent), check_clocks(answers)]
        return [*findings, await self._check_members(), await self._check_alarms()]

    async def _ask_all(self) -> tuple[list[Answer], list[str]]:
        answers, silent = [], []
        for number in range(len(self._gateway.address.hosts)):
            try:
                answers.append(await self._gateway.ask_member(number, "maintenance/status", {}))
            except (Gone, StoreError) as error:
                silent.append(str(error))
        return answers, silent

    async def _check_members(self) -> Finding:
        try:
            answer = await self._gateway.ask("cluster/member/list", {})
        except StoreError as error:
            return _unseen("etcd members", error)
        return check_members(len(answer.read(Members).members))

    async def _check_alarms(self) -> Finding:
        try:
            answer = await self._gateway.ask("maintenance/alarm", {"action": "GET"})
        except StoreError as error:
            return _unseen("etcd alarms", error)
        return check_alarms(answer.read(Alarms))


def check_answers(shown: str, answers: list[Answer], silent: list[str]) -> Finding:
    """Whether all members of the URL answer, and know a leader."""
    states = [one.read(Status) for one in answers]
    if not all(state.leader for state in states):
        return problem("leases", f"{shown}, and a member knows no leader", "Bring most of the members back.")
    if silent:
        message = f"{shown}, and {len(silent)} of {len(silent) + len(answers)} do not answer: {'; '.join(silent)}"
        return warning("leases", message, "Bring it back, or take it out of DIBS_LEASES_URL.")
    versions = ", ".join(sorted({state.version for state in states}))
    return ok("leases", f"{shown}: version {versions}, {show_bytes(max(state.size for state in states))}")


def check_clocks(answers: list[Answer]) -> Finding:
    """Whether the members agree on the time, which they tell in whole seconds and are asked for one after another."""
    times = [one.at for one in answers]
    apart = max(times) - min(times)
    if apart <= LARGEST_OFFSET:
        return ok("etcd clocks", f"at most {show_span(apart)} apart")
    advice = "Leases end when they should, but expires_at is told wrongly. Turn on NTP on all members."
    return warning("etcd clocks", f"{show_span(apart)} apart", advice)


def check_members(count: int) -> Finding:
    """Whether the cluster survives the loss of a member."""
    if count >= ENOUGH_MEMBERS:
        return ok("etcd members", f"{count}, of which {(count - 1) // 2} may fail")
    advice = "Run three or five members, in as many places, where leases must survive the loss of one."
    return warning("etcd members", f"{count}: when one fails, nobody gets a lease", advice)


def check_alarms(found: Alarms) -> Finding:
    """Whether the cluster takes writes."""
    kinds = sorted({one.kind for one in found.alarms})
    if not kinds:
        return ok("etcd alarms", "none")
    advice = "NOSPACE: compact, defragment, then etcdctl alarm disarm. CORRUPT: replace that member."
    return problem("etcd alarms", ", ".join(kinds), advice)


def _unseen(topic: str, error: StoreError) -> Finding:
    return warning(topic, f"could not be looked at: {error}", "Grant this user the right to look.")
