"""Setting caps, and asking them."""

from msgspec.structs import replace

from dibs.apps.postings import store as posting_store
from dibs.apps.postings.claims.runs import Refusal, Rule
from dibs.apps.postings.identity import company_key
from dibs.apps.postings.limits import store
from dibs.apps.postings.limits.caps import EVERY, Cap, CapScope, check_cap, choose_caps, find_wait
from dibs.apps.postings.office import Office
from dibs.apps.postings.records import By, Tracked
from dibs.errors import BadInput, RecordMoved
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction


async def set_cap(office: Office, tenant: str, cap: Cap, by: By, *, expected: Cap | None = None) -> Cap:
    """Set how often agents may apply; without any limit, a cap is taken away. With `expected`, only in its place."""
    check_cap(cap)
    cap = name_cap(cap)
    async with office.tables.writing(sight_of(tenant)) as transaction:
        if expected is not None and expected not in await store.list_caps(transaction, is_locked=True):
            raise RecordMoved(f"cap {cap.scope}:{cap.name}")
        await store.set_cap(transaction, cap)
        said = f"most a day {cap.most_a_day}, cool-down {cap.cool_down}"
        subject = f"cap:{cap.scope}:{cap.name}"
        await posting_store.add_act(transaction, subject, "CAP_SET", actor=by.actor, reason=f"{said}: {by.reason}")
    await office.forward_acts(tenant)
    return cap


def name_cap(cap: Cap) -> Cap:
    """Name a cap as it is kept: companies as postings are compared, where Ibis, Inc. and IBIS are one."""
    if cap.scope is not CapScope.COMPANY or cap.name == EVERY:
        return cap
    name = company_key(cap.name)
    if not name:
        message = f"company {cap.name[:80]!r} has neither letters nor digits. Write it as its postings do."
        raise BadInput(message)
    return replace(cap, name=name)


async def list_caps(office: Office, tenant: str) -> list[Cap]:
    """Read all caps."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        return await store.list_caps(transaction)


async def judge_caps(transaction: Transaction, tracked: Tracked, *, is_locked: bool = False) -> Refusal | None:
    """Tell which cap refuses a claim of a posting, and until when; None: none does. Who writes locks the caps."""
    caps = await store.list_caps(transaction, is_locked=is_locked)
    waits = []
    for cap in choose_caps(caps, board=tracked.board, company=tracked.company):
        wait = find_wait(cap, await store.list_recent(transaction, cap, tracked), transaction.now)
        waits += [] if wait is None else [wait]
    longest = max(waits, key=lambda wait: wait.until, default=None)
    if longest is None:
        return None
    rule = Rule.COOL_DOWN if longest.is_cool_down else Rule.CAP
    return Refusal(rule=rule, holder=longest.run_id, retry_at=longest.until)
