"""What the doctor says of etcd."""

from datetime import UTC, datetime, timedelta

import pytest

from dibs.backends.etcd import open_leases
from dibs.backends.etcd.examiner import Alarm, Alarms, check_alarms, check_clocks, check_members
from dibs.backends.etcd.gateway import Answer
from dibs.engine.store.checkup import Severity
from tests.backends.etcd.fake import FakeMember, trouble

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
SOUND = {"version": "3.5.9", "leader": "77", "dbSize": "20480"}


@pytest.mark.parametrize(("count", "severity"), [(1, "warning"), (2, "warning"), (3, "ok"), (5, "ok")])
def test_fewer_than_three_members_cannot_lose_any(count: int, severity: str) -> None:
    assert check_members(count).severity == severity


def test_an_alarm_is_a_problem() -> None:
    assert check_alarms(Alarms()).severity is Severity.OK
    found = check_alarms(Alarms([Alarm("NOSPACE"), Alarm("NOSPACE")]))
    assert (found.severity, found.message) == (Severity.PROBLEM, "NOSPACE")


def test_members_whose_clocks_are_apart_are_told() -> None:
    def clocks(seconds: int) -> Severity:
        return check_clocks([Answer(b"", "a", NOON), Answer(b"", "b", NOON + timedelta(seconds=seconds))]).severity

    assert (clocks(1), clocks(60)) == (Severity.OK, Severity.WARNING)


@pytest.mark.parametrize(
    ("status", "severity", "words"),
    [
        ((200, SOUND), "ok", "version 3.5.9"),
        ((200, {**SOUND, "leader": "0"}), "problem", "knows no leader"),
        (trouble("etcdserver: permission denied", 7), "problem", "readwrite on the prefix"),
    ],
)
async def test_the_state_of_a_member(status: tuple[int, object], severity: str, words: str) -> None:
    async with FakeMember(status=status) as member:
        parts = await open_leases(f"etcd://{member.host}")
        found = (await parts.examiner.examine())[0]
        await parts.close()
    assert (found.topic, found.severity) == ("leases", severity)
    assert words in found.message


async def test_what_may_not_be_seen_is_a_warning_and_the_rest_is_seen() -> None:
    denied = trouble("etcdserver: permission denied", 7)
    async with FakeMember(status=(200, SOUND), list=denied, alarm=denied) as member:
        parts = await open_leases(f"etcd://{member.host}")
        severities = [one.severity for one in await parts.examiner.examine()]
        await parts.close()
    assert severities == ["ok", "ok", "warning", "warning"]
