"""Entries that apps add to the audit log, and the seals on it."""

from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from dibs.engine.admission.entries import AdmissionAction
from dibs.engine.audit.actions import AuditAction, EncryptionAction, JobAction, ScheduleAction
from dibs.engine.audit.sealing import NewEntry, Seal
from dibs.engine.store.checks.values import LONGEST_REASON, check_name, shown
from dibs.errors import BadInput
from dibs.kit.codec import decode_json, encode_json
from dibs.kit.text import printable

LONGEST_SUBJECT = 400


# What these say, the engine says itself: nobody else may make it look as if it had.
RESERVED = frozenset(
    action.value
    for words in (JobAction, ScheduleAction, AdmissionAction, AuditAction, EncryptionAction)
    for action in words
)


def check_action(entry: NewEntry) -> None:
    """Refuse the engine's own words."""
    if entry.action in RESERVED:
        message = f"action {entry.action!r} is a word of the engine's own. Use another one for what your code does."
        raise BadInput(message)


def fit_entry(entry: NewEntry, *, limit: int) -> NewEntry:
    """Refuse what cannot be in the log; give the entry as every store keeps it."""
    for field in ("tenant", "actor", "action"):
        check_name(getattr(entry, field), field)
    if not entry.subject.isprintable() or not 0 < len(entry.subject) <= LONGEST_SUBJECT:
        message = f"subject {shown(entry.subject)}: use 1 to {LONGEST_SUBJECT} printable characters, kind:id."
        raise BadInput(message)
    detail = decode_json(encode_json(entry.detail, limit=limit, what=f"detail of {entry.action}"))
    return replace(entry, detail=detail, reason=printable(entry.reason, LONGEST_REASON))


def check_seals(seals: Sequence[Seal]) -> None:
    """Refuse seals of several tenants, or with gaps between them."""
    for before, after in pairwise(seals):
        if after.tenant != before.tenant or after.position != before.position + 1:
            message = f"{shown(after)} does not follow {shown(before)}. Send the seals of one tenant in order."
            raise BadInput(message)
