"""Questions of readers: filters and pages."""

from dibs.engine.states import State
from dibs.engine.store.checks.values import (
    LARGEST_NUMBER,
    check_instant,
    check_limit,
    check_optional_name,
    check_whole_number,
    shown,
)
from dibs.engine.store.reading import LARGEST_PAGE, AuditFilter, JobFilter, PageRequest
from dibs.errors import BadInput


def check_page(page: PageRequest) -> None:
    """Refuse a page that cannot be."""
    check_limit(page.limit, LARGEST_PAGE)
    if page.cursor is not None:
        check_whole_number(page.cursor, "cursor", 0, LARGEST_NUMBER)
    if page.reach is not None:
        check_whole_number(page.reach, "reach", 1, LARGEST_NUMBER)


def check_job_filter(wanted: JobFilter) -> None:
    """Refuse states that do not exist, and names that cannot be."""
    unknown = [state for state in wanted.states or () if state not in State.__members__.values()]
    if unknown:
        message = f"{shown(unknown[0])} is not a state. States are {', '.join(State)}."
        raise BadInput(message)
    for field in JobFilter.__struct_fields__:
        if field != "states":
            check_optional_name(getattr(wanted, field), field)


def check_audit_filter(wanted: AuditFilter) -> None:
    """Refuse texts that cannot be in the log, and times that are none."""
    for field in ("since", "until"):
        if getattr(wanted, field) is not None:
            check_instant(getattr(wanted, field), field)
    for field in ("tenant", "actor", "action", "subject", "without"):
        value = getattr(wanted, field)
        if value is not None and (not isinstance(value, str) or not value.isprintable()):
            message = f"{field} {shown(value)} cannot be in the audit log. Use printable text."
            raise BadInput(message)
