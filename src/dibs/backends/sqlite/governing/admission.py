"""The rules in a SQLite file, and what they mean for one job."""

import secrets
from datetime import timedelta
from functools import partial

import msgspec
from msgspec.structs import replace

from dibs.backends.sqlite.governing.moving import mark_running, move_some
from dibs.backends.sqlite.governing.parks import open_for_rule
from dibs.backends.sqlite.governing.rulebook import find_book
from dibs.backends.sqlite.governing.standing import describe
from dibs.backends.sqlite.governing.waking import find_wake
from dibs.backends.sqlite.moves.records import record_act
from dibs.backends.sqlite.rows import SEQ, instant, to_job
from dibs.backends.sqlite.threads.database import Database
from dibs.backends.sqlite.transactions.transaction import Snapshot, Transaction
from dibs.engine.admission.entries import rule_action, rule_body, rule_change, rule_subject, rule_tenant
from dibs.engine.admission.gate import Gate
from dibs.engine.admission.obstacle import Standing
from dibs.engine.admission.rules import Rule, is_same, rule_key, says_nothing
from dibs.engine.store.moves import ClaimRequest, OperatorAct

# Numbers of rules are drawn, not counted: a file that was put back from a copy never has one that meant something else.
_RULES_NUMBER_BITS = 62
_decode = msgspec.json.Decoder(Rule).decode


class SqliteAdmission:
    """Set and read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def set_rule(self, rule: Rule, act: OperatorAct, expected: Rule | None = None) -> bool:
        """Keep a rule, or take it away if it says nothing; then move waiting jobs to where it wants them.

        The rule holds from the first transaction on: a claim that meets a job where it does not belong moves it.
        """
        is_set: bool = await self._database.write(partial(_set_rule, rule=rule, act=act, expected=expected))
        has_more = is_set
        while has_more:
            has_more = await self._database.write(partial(move_some, rule=rule))
        return is_set

    async def list_rules(self) -> list[Rule]:
        """Read all rules that hold."""
        return await self._database.read(_list_rules)

    async def find_standing(self, job_id: str) -> Standing | None:
        """Read all that decides whether a job may run."""
        return await self._database.read(partial(_find_standing, job_id=job_id))

    async def find_first(self, job_id: str) -> str | None:
        """Name the job that stands first where this one waits."""
        return await self._database.read(partial(_find_first, job_id=job_id))

    async def find_wake(self, request: ClaimRequest) -> timedelta | None:
        """Tell after how long this claim may bring something by the passing of time alone."""
        return await self._database.read(partial(find_wake, request=request))


def _set_rule(transaction: Transaction, rule: Rule, act: OperatorAct, expected: Rule | None) -> bool:
    kind, name = rule_key(rule)
    found = transaction.find("admission/find_rule", kind, name)
    before = None if found is None else found[0].encode()
    if expected is not None and not is_same(None if before is None else _decode(before), expected):
        return False
    after = None if says_nothing(rule) else rule_body(replace(rule, set_at=None) if isinstance(rule, Gate) else rule)
    if after is None:
        transaction.write("admission/forget_rule", kind, name)
    else:
        transaction.write("admission/set_rule", kind, name, after.decode(), transaction.now)
    transaction.write("admission/set_rules_number", secrets.randbits(_RULES_NUMBER_BITS) + 1)
    mark_running(transaction, rule)
    open_for_rule(transaction, rule)
    detail = rule_change(before, after)
    record_act(transaction, rule_action(rule), rule_subject(rule), act, tenant=rule_tenant(rule), detail=detail)
    return True


def _list_rules(snapshot: Snapshot) -> list[Rule]:
    now = instant(snapshot.now)
    rules = find_book(snapshot).rules.values()
    return [rule for rule in rules if not isinstance(rule, Gate) or rule.is_shut(now)]


def _find_standing(snapshot: Snapshot, job_id: str) -> Standing | None:
    row = snapshot.find("reading/find_job", job_id)
    return None if row is None else describe(snapshot, find_book(snapshot), to_job(row), row[SEQ])


def _find_first(snapshot: Snapshot, job_id: str) -> str | None:
    found = snapshot.find("lanes/find_first", job_id)
    return None if found is None or found[0] == job_id else found[0]
