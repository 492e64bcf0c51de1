"""Where waiting jobs go when a rule comes or goes, some at a time: other writers get their turn in between."""

from dibs.backends.sqlite.governing.lanes import RELANED_AT_ONCE, relane
from dibs.backends.sqlite.governing.rulebook import RuleBook, find_book
from dibs.backends.sqlite.transactions.transaction import Transaction
from dibs.engine.admission.gate import Gate, GateScope
from dibs.engine.admission.rules import QueueRule, Rule, TenantRule


def mark_running(transaction: Transaction, rule: Rule) -> None:
    """Let the jobs of a tenant that run already count against its rule."""
    if isinstance(rule, TenantRule):
        transaction.write("moving/mark_running", rule.name)


def move_some(transaction: Transaction, rule: Rule) -> bool:
    """Move some jobs that a rule speaks of to where they belong under the rules of now; False when none is left."""
    book = find_book(transaction)
    if isinstance(rule, QueueRule):
        is_governed, statement = rule.name in book.fair, "moving/list_waiting_of_queue"
    elif isinstance(rule, TenantRule) or (isinstance(rule, Gate) and rule.scope is GateScope.TENANT):
        is_governed, statement = rule.name in book.tenants, "moving/list_waiting_of_tenant"
    else:
        return False
    if is_governed:
        return relane(transaction, book, transaction.read(statement, rule.name, RELANED_AT_ONCE)) > 0
    return _release_some(transaction, book)


def _release_some(transaction: Transaction, book: RuleBook) -> bool:
    """Let jobs that nothing governs any more wait in the plain lanes."""
    lanes = transaction.read("moving/list_bare_lanes")
    room = RELANED_AT_ONCE
    for lane in [lane for lane, queue, tenant in lanes if not book.governs(queue, tenant)]:
        moved = transaction.write("moving/leave_lane", lane, room)
        if moved == room:
            return True
        transaction.write("lanes/forget_lane", lane)
        room -= moved
    return False
