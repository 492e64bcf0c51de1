"""Sources in a SQLite file."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import msgspec

from dibs.backends.sqlite.governing.parks import open_for, source_subject
from dibs.backends.sqlite.governing.rulebook import find_book
from dibs.backends.sqlite.governing.standing import SourceRow, count_permits, find_source, to_source
from dibs.backends.sqlite.moves.records import record_act
from dibs.backends.sqlite.rows import ID, SEQ, instant
from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.transaction import Row, Snapshot, Transaction
from dibs.engine.admission import entries
from dibs.engine.admission.entries import BREAKER, AdmissionAction
from dibs.engine.admission.source import (
    FetchReport,
    Permit,
    Source,
    SourceRule,
    declare,
    find_wait,
    has_told,
    pause,
    resume,
    spend,
    take_note,
)
from dibs.engine.audit.actions import ALL_TENANTS
from dibs.engine.job import Lease
from dibs.engine.store.moves import OperatorAct

_REFUSED = Permit(granted=False, is_lease_lost=True)
_NOBODY: Row = (0, "")
_SOURCE = 11


class SqliteSources:
    """What is declared of sources, and how they stand."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def declare(self, rule: SourceRule, act: OperatorAct, expected: SourceRule | None = None) -> Source | None:
        """Keep what is declared of a source."""
        return await self._database.write(partial(_declare, rule=rule, act=act, expected=expected))

    async def find_sources(self, names: Sequence[str]) -> list[Source | None]:
        """Read sources by name."""
        return await self._database.read(lambda snapshot: [_find_kept(snapshot, name) for name in names])

    async def list_sources(self) -> list[Source]:
        """Read all sources."""
        rows = await self._database.read(lambda snapshot: snapshot.read("sources/list_sources"))
        return [to_source(text) for (text,) in rows]

    async def pause(self, name: str, until: datetime | None, act: OperatorAct) -> Source:
        """Give no permit before `until`."""
        return await self._database.write(partial(_pause, name=name, until=until, act=act))

    async def resume(self, name: str, act: OperatorAct) -> Source:
        """Enable a source, end its pause and its wait, close its breaker."""
        return await self._database.write(partial(_resume, name=name, act=act))

    async def take_permit(self, name: str, lease: Lease | None, hop_of: int | None) -> Permit:
        """Spend one permit now."""
        return await self._database.write(partial(_take_permit, name=name, lease=lease, hop_of=hop_of))

    async def report(self, report: FetchReport) -> Source:
        """Note how a fetch went."""
        return await self._database.write(partial(_note, report=report))


def _declare(
    transaction: Transaction, rule: SourceRule, act: OperatorAct, expected: SourceRule | None
) -> Source | None:
    found = find_source(transaction, rule.name)
    if expected is not None and not (found.is_kept and found.source.rule == expected):
        return None
    before = msgspec.to_builtins(found.source.rule) if found.is_kept else None
    after = _keep(transaction, declare(found.source, rule, instant(transaction.now)))
    detail = {"before": before, "after": msgspec.to_builtins(after.rule)}
    return _record(transaction, after, AdmissionAction.SOURCE_DECLARED, act, detail)


def _pause(transaction: Transaction, name: str, until: datetime | None, act: OperatorAct) -> Source:
    found = find_source(transaction, name)
    return _change(transaction, found, pause(found.source, until), AdmissionAction.SOURCE_PAUSED, act)


def _resume(transaction: Transaction, name: str, act: OperatorAct) -> Source:
    found = find_source(transaction, name)
    return _change(transaction, found, resume(found.source), AdmissionAction.SOURCE_RESUMED, act)


def _change(
    transaction: Transaction, found: SourceRow, after: Source, action: AdmissionAction, act: OperatorAct
) -> Source:
    detail = entries.source_change(found.source if found.is_kept else None, after)
    return _record(transaction, _keep(transaction, after), action, act, detail)


def _take_permit(transaction: Transaction, name: str, lease: Lease | None, hop_of: int | None) -> Permit:
    """The fence: the holder's row cannot change between this look and the write, which share a write transaction."""
    row = _NOBODY if lease is None else transaction.find("holding/find_held_job", lease.job_id, lease.token)
    if row is None:
        return _REFUSED
    found, now = find_source(transaction, name), instant(transaction.now)
    gate = find_book(transaction).find_source_gate(name)
    if gate is not None and gate.stops_fetches(now, is_in_job=lease is not None):
        return Permit(granted=False, until=gate.expires_at)
    is_probing = found.probe is not None and found.probe.job_id != row[ID]
    reserved = count_permits(transaction, name, row[SEQ])
    wait = find_wait(found.source, now, reserved=reserved, is_probing=is_probing, hop_of=hop_of)
    if wait is not None:
        return Permit(granted=False, until=wait.until)
    return Permit(granted=True, token=_spend(transaction, found, row, lease, hop_of))


def _spend(transaction: Transaction, found: SourceRow, row: Row, lease: Lease | None, hop_of: int | None) -> int:
    """Spend one, and give the number under which to report."""
    name = found.source.name
    is_lone = lease is None and found.source.is_broken
    lone_token = (hop_of or transaction.next_token()) if is_lone else 0
    _keep(transaction, spend(found.source, instant(transaction.now), lone_token=lone_token))
    if lease is not None and row[_SOURCE] == name:
        transaction.write("sources/spend_permit", row[SEQ])
    if lease is not None and found.source.is_broken:
        transaction.write("sources/set_probe", name, lease.job_id, lease.token)
    return lone_token if lease is None else lease.token


def _note(transaction: Transaction, report: FetchReport) -> Source:
    found = find_source(transaction, report.source)
    is_probe = found.source.is_probe(report, None if found.probe is None else found.probe.token)
    after = _keep(transaction, take_note(found.source, report, instant(transaction.now), is_probe=is_probe))
    if found.probe is not None and has_told(found.source, after):
        transaction.write("sources/set_probe", report.source, None, None)
    if found.source.is_broken == after.is_broken:
        return after
    action = AdmissionAction.SOURCE_BROKEN if after.is_broken else AdmissionAction.SOURCE_MENDED
    detail = {"failure_streak": after.failure_streak}
    return _record(transaction, after, action, OperatorAct(actor=BREAKER, reason=""), detail)


def _keep(transaction: Transaction, source: Source) -> Source:
    """Keep how a source stands now, and let those look who wait for it."""
    transaction.write("sources/keep_source", source.name, msgspec.json.encode(source).decode())
    open_for(transaction, [source_subject(source.name)])
    return source


def _record(
    transaction: Transaction, source: Source, action: AdmissionAction, act: OperatorAct, detail: object
) -> Source:
    record_act(transaction, action, entries.source_subject(source.name), act, tenant=ALL_TENANTS, detail=detail)
    return source


def _find_kept(snapshot: Snapshot, name: str) -> Source | None:
    found = find_source(snapshot, name)
    return found.source if found.is_kept else None
