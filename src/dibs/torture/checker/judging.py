"""All rules on all jobs."""

from collections.abc import Callable, Mapping

from dibs.torture.checker.cases import Account, Case, split_history, split_leases
from dibs.torture.checker.notes import Notes, Tally
from dibs.torture.checker.rules.auditing import check_auditing
from dibs.torture.checker.rules.counting import check_counting
from dibs.torture.checker.rules.effects import check_effects
from dibs.torture.checker.rules.holding import check_fence, check_holding
from dibs.torture.checker.rules.keeping import Terms, check_keeping
from dibs.torture.checker.rules.ordering import check_lease, check_ordering
from dibs.torture.checker.rules.remembering import check_remembering
from dibs.torture.checker.rules.timing import check_timing
from dibs.torture.history.reading import History

Rule = Callable[[Case, Terms, Notes], None]
RULES: tuple[Rule, ...] = (
    check_keeping,
    check_holding,
    check_fence,
    check_ordering,
    check_effects,
    check_remembering,
    check_auditing,
    check_counting,
    check_timing,
)


def judge_history(history: History, accounts: Mapping[str, Account], terms: Terms) -> Tally:
    """Look at every job and every named lease."""
    notes = Notes()
    for case in split_history(history, accounts):
        for rule in RULES:
            rule(case, terms, notes)
    if terms.forgot_at is None:
        for name, steps in split_leases(history).items():
            check_lease(name, steps, notes)
    return notes.tally()
