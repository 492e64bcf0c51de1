"""Whoever changes the sealed log is seen."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from dibs.backends.memory import build_parts
from dibs.engine import events
from dibs.engine.audit.forgetting import forget_entries
from dibs.engine.audit.heads import NotedHeads
from dibs.engine.audit.keys import SealKeys
from dibs.engine.audit.sealing import NewEntry, Seal, chain, next_seal
from dibs.engine.audit.verifying import FORGOTTEN, PAGE, list_tenants, verify_chain
from dibs.engine.events import Events
from dibs.engine.loops.sealing import BATCH, Sealing
from dibs.engine.store.backend import Backend
from dibs.engine.store.moves import OperatorAct
from dibs.engine.store.reading import AuditEntry
from dibs.engine.worker.reach import Reach
from dibs.errors import BadInput
from dibs.kit.encryption.secret import Secret
from dibs.settings import Settings
from tests.engine.worker.conftest import SOON

ACT = OperatorAct(actor="op", reason="old")
KEY, NEW_KEY = b"only we know it", b"another one"
SENT = NewEntry(action="EMAIL_SENT", subject="message:1", actor="mailer", tenant="acme", detail={"cents": 1.0})


class Noted(msgspec.Struct):
    """What is read of the file."""

    heads: list[Seal]


class Ledger:
    """A store whose log a test can reach into."""

    def __init__(self) -> None:
        self.parts = build_parts()
        self.backend = Backend(self.parts, Settings())
        self.told: list[str] = []

    def make_sealing(self, key: bytes = b"", *old: bytes, heads: str = "") -> Sealing:
        old_keys = tuple(Secret(one.decode()) for one in old)
        settings = Settings(audit_key=Secret(key.decode()), audit_old_keys=old_keys, audit_heads=heads)
        tell = Events()
        tell.watch(lambda event: self.told.append(event.name))
        interval = timedelta(seconds=SOON)
        return Sealing(self.backend, Reach(tell), owner="test", interval=interval, settings=settings)

    @property
    def entries(self) -> list[AuditEntry]:
        world: Any = self.parts.jobs
        log: list[AuditEntry] = world._world.audit
        return log

    @property
    def seals(self) -> list[Seal]:
        log: Any = self.parts.audit
        seals: list[Seal] = log._seals["acme"]
        return seals

    async def seal(self, key: bytes = b"", *old: bytes, heads: str = "") -> int:
        """Seal as a worker does that has just come, and leaves again."""
        sealing = self.make_sealing(key, *old, heads=heads)
        sealed = await sealing.tick()
        await sealing.leading.give_up()
        return sealed

    async def write(self, count: int = 5) -> None:
        await self.backend.audit.append([replace(SENT, subject=f"message:{n}") for n in range(count)])

    async def fault(self, key: bytes = b"", *old: bytes, heads: str = "") -> str | None:
        keys = SealKeys(current=key, old=old)
        return (await verify_chain(self.backend, "acme", keys=keys, noted=NotedHeads(heads, keys))).fault

    def forge(self, key: bytes = b"") -> None:
        """Change an entry and make all seals anew."""
        change(self)
        self.seals[:] = chain(self.entries, [], key)[0]


@pytest.fixture
async def ledger() -> Ledger:
    ledger = Ledger()
    await ledger.write()
    await ledger.seal()
    return ledger


async def test_an_untouched_log_is_whole_and_its_tail_is_counted(ledger: Ledger) -> None:
    await ledger.write(2)
    report = await verify_chain(ledger.backend, "acme")
    assert (report.fault, report.sealed, report.unsealed) == (None, 5, 2)
    assert report.head == ledger.seals[-1].hash
    assert await list_tenants(ledger.backend) == ["acme"]


def change(ledger: Ledger) -> None:
    ledger.entries[2] = replace(ledger.entries[2], reason="never mind")


def change_detail(ledger: Ledger) -> None:
    ledger.entries[2] = replace(ledger.entries[2], detail={"cents": 2})


def remove(ledger: Ledger) -> None:
    del ledger.entries[2]


def remove_with_seal(ledger: Ledger) -> None:
    del ledger.entries[2], ledger.seals[2]


def remove_first(ledger: Ledger) -> None:
    del ledger.entries[0]


def remove_first_with_seal(ledger: Ledger) -> None:
    del ledger.entries[0], ledger.seals[0]


def swap(ledger: Ledger) -> None:
    first, second = ledger.entries[1:3]
    ledger.entries[1:3] = [replace(second, sequence=first.sequence), replace(first, sequence=second.sequence)]


def insert(ledger: Ledger) -> None:
    forged = replace(ledger.entries[2], sequence=99)
    ledger.entries.append(forged)
    ledger.seals[2] = next_seal(forged, ledger.seals[1])


@pytest.mark.parametrize(
    "tamper", [change, change_detail, remove, remove_with_seal, remove_first, remove_first_with_seal, swap, insert]
)
async def test_whoever_changes_a_sealed_log_is_seen(ledger: Ledger, tamper: Callable[[Ledger], None]) -> None:
    assert await ledger.fault() is None
    tamper(ledger)
    assert await ledger.fault() is not None


async def test_who_makes_all_seals_anew_is_seen_if_there_is_a_key() -> None:
    ledger = Ledger()
    await ledger.write()
    await ledger.seal(KEY)
    assert await ledger.fault(KEY) is None
    ledger.forge()
    assert await ledger.fault() is None
    assert await ledger.fault(KEY) is not None


async def test_whoever_looks_without_the_key_is_told_that_there_is_another() -> None:
    ledger = Ledger()
    await ledger.write()
    await ledger.seal(KEY)
    assert "another key" in (await ledger.fault() or "")
    assert "another key" in (await ledger.fault(NEW_KEY) or "")


async def test_a_key_can_be_introduced_and_changed(ledger: Ledger) -> None:
    assert "without a key" in (await ledger.fault(KEY) or "")
    await ledger.seal(KEY)
    assert await ledger.fault(KEY) is None
    await ledger.seal(NEW_KEY, KEY)
    await ledger.write()
    await ledger.seal(NEW_KEY, KEY)
    assert await ledger.fault(NEW_KEY, KEY) is None
    assert "another key" in (await ledger.fault(NEW_KEY) or "")
    changes = [entry.detail for entry in ledger.entries if entry.action == "AUDIT_KEY_CHANGED"]
    assert [change["before"] is None for change in changes] == [True, False]


async def test_who_has_not_the_key_of_the_last_seal_does_not_seal(ledger: Ledger) -> None:
    await ledger.seal(KEY)
    await ledger.write()
    for key in (b"", NEW_KEY):
        assert await ledger.seal(key) == 0
    assert ledger.told == [events.SEALING_REFUSED] * 2
    assert await ledger.seal(KEY) == 5
    assert await ledger.fault(KEY) is None


async def test_seals_without_a_key_behind_seals_with_one_are_a_fault(ledger: Ledger) -> None:
    await ledger.seal(KEY)
    await ledger.write(1)
    ledger.seals.append(next_seal(ledger.entries[-1], ledger.seals[-1]))
    assert "without a key" in (await ledger.fault(KEY) or "")


async def test_a_sealer_does_not_chase_those_who_write_meanwhile(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = ledger.backend.audit.list_unsealed
    rounds = 0

    async def read_while_others_write(limit: int) -> list[AuditEntry]:
        nonlocal rounds
        rounds += 1
        entries = await read(limit)
        await ledger.write(0 if rounds > 5 else BATCH)
        return entries

    monkeypatch.setattr(ledger.backend.audit, "list_unsealed", read_while_others_write)
    await ledger.write(BATCH)
    before = len(ledger.entries)
    assert before <= await ledger.seal() < before + 2 * BATCH
    assert rounds < 5


async def test_a_sealer_does_not_seal_a_log_that_was_begun_anew(ledger: Ledger, tmp_path: Path) -> None:
    noted = str(tmp_path / "heads")
    sealing = ledger.make_sealing(KEY, heads=noted)
    await sealing.tick()
    ledger.forge(KEY)
    await ledger.write(1)
    assert await sealing.tick() == 0
    await sealing.leading.give_up()
    assert await ledger.seal(KEY, heads=noted) == 0
    assert ledger.told == [events.SEALING_REFUSED] * 2
    assert "made anew" in (await ledger.fault(KEY, heads=noted) or "")
    ledger.seals.clear()
    assert "taken away" in (await ledger.fault(KEY, heads=noted) or "")


async def test_one_tenants_log_that_may_not_be_sealed_does_not_keep_others_from_it(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dibs.engine.loops.sealing.BATCH", 4)
    sealing = ledger.make_sealing(KEY)
    await sealing.tick()
    ledger.forge(KEY)
    await ledger.write(30)
    others = [replace(SENT, tenant=f"tenant-{number % 3}") for number in range(30)]
    await ledger.backend.audit.append(others)
    assert await sealing.tick() == len(others)
    assert {entry.tenant for entry in await ledger.backend.audit.list_unsealed()} == {"acme"}


async def test_a_file_that_cannot_be_written_stops_no_worker_and_is_written_later(
    ledger: Ledger, tmp_path: Path
) -> None:
    noted = tmp_path / "later" / "heads"
    sealing = ledger.make_sealing(heads=str(noted))
    for count in (3, 2):
        await ledger.write(count)
        assert await sealing.tick() == count
        noted.parent.mkdir(exist_ok=True)
    assert [head.position for head in msgspec.json.decode(noted.read_bytes(), type=Noted).heads] == [10]


async def test_workers_that_share_a_file_do_not_take_back_what_another_has_noted(
    ledger: Ledger, tmp_path: Path
) -> None:
    noted = tmp_path / "heads"
    came_early = ledger.make_sealing(heads=str(noted))
    await ledger.write()
    await ledger.seal(heads=str(noted))
    await ledger.backend.audit.append([replace(SENT, tenant="other")])
    assert await came_early.tick() == 1
    heads = msgspec.json.decode(noted.read_bytes(), type=Noted).heads
    assert {head.tenant: head.position for head in heads} == {"acme": 10, "other": 1}


async def test_noted_heads_that_were_changed_are_refused(ledger: Ledger, tmp_path: Path) -> None:
    noted = tmp_path / "heads"
    await ledger.seal(KEY, heads=str(noted))
    noted.write_text(noted.read_text().replace('"position":6', '"position":1'))
    with pytest.raises(BadInput, match="was changed"):
        ledger.make_sealing(KEY, heads=str(noted))
    noted.write_text("[")
    with pytest.raises(BadInput, match="cannot be read"):
        ledger.make_sealing(KEY, heads=str(noted))


async def test_a_cut_that_somebody_answers_for_is_no_fault(ledger: Ledger) -> None:
    note = NewEntry(
        action=FORGOTTEN, subject="audit:acme", actor="op", tenant="acme", reason="old", detail={"through": 3}
    )
    await ledger.backend.audit.append_own([note])
    await ledger.backend.audit.forget_sealed("acme", 3)
    await ledger.seal()
    report = await verify_chain(ledger.backend, "acme")
    assert (report.fault, report.begins_at, report.sealed) == (None, 4, 3)


async def test_a_cut_whose_entry_is_not_sealed_yet_is_no_fault(ledger: Ledger) -> None:
    note = NewEntry(action=FORGOTTEN, subject="audit:acme", actor="op", tenant="acme", detail={"through": 2})
    await ledger.backend.audit.append_own([note])
    await ledger.backend.audit.forget_sealed("acme", 2)
    assert await ledger.fault() is None


async def test_an_entry_put_where_nobody_would_seal_it_is_seen(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    forged = replace(ledger.entries[0], sequence=-7, actor="nobody")
    ledger.entries.insert(0, forged)
    tail = ledger.parts.audit.list_unsealed

    async def list_unsealed(limit: int) -> list[AuditEntry]:
        return [entry for entry in await tail(limit) if entry.sequence > 0]

    # As a store does that looks for the tail only above its last seal.
    monkeypatch.setattr(ledger.parts.audit, "list_unsealed", list_unsealed)
    assert "-7" in (await ledger.fault() or "")


async def test_a_cut_that_nobody_answers_for_is_a_fault(ledger: Ledger) -> None:
    await ledger.backend.audit.forget_sealed("acme", 3)
    assert "no AUDIT_FORGOTTEN entry" in (await ledger.fault() or "")


async def test_a_changed_word_about_a_cut_is_a_fault_like_others(ledger: Ledger) -> None:
    await forget_entries(ledger.backend, "acme", timedelta(0), ACT)
    await ledger.seal()
    assert await ledger.fault() is None
    ledger.entries[-1] = replace(ledger.entries[-1], detail={"through": "the end"})
    assert "is not what was sealed" in (await ledger.fault() or "")


async def test_what_was_cut_before_does_not_keep_the_rest_from_being_forgotten(ledger: Ledger) -> None:
    assert await forget_entries(ledger.backend, "acme", timedelta(0), ACT) == 5
    await ledger.write(2 * PAGE)
    await ledger.seal()
    assert await forget_entries(ledger.backend, "acme", timedelta(0), ACT) == 2 * PAGE + 1
    await ledger.seal()
    assert await ledger.fault() is None


async def test_two_sealers_at_once_make_one_chain(ledger: Ledger) -> None:
    await ledger.write(50)
    tail = await ledger.backend.audit.list_unsealed()
    heads = await ledger.backend.audit.list_heads()
    [mine], [theirs] = chain(tail, heads), chain(tail, heads)
    assert await ledger.backend.audit.seal(mine)
    assert not await ledger.backend.audit.seal(theirs)
    assert await ledger.fault() is None


async def test_a_tail_longer_than_is_listed_at_once_is_no_fault(monkeypatch):
    monkeypatch.setattr("dibs.engine.audit.verifying.MOST_UNSEALED", 5)
    ledger = Ledger()
    await ledger.backend.audit.append([SENT] * 12)
    report = await verify_chain(ledger.backend, "acme")
    assert (report.fault, report.unsealed) == (None, 12)
