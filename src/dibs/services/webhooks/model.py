"""Endpoints, messages and deliveries, and which entry of the audit log becomes which event."""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

from dibs.engine.admission.entries import AdmissionAction
from dibs.engine.audit.actions import JobAction
from dibs.engine.job import Job
from dibs.engine.store.reading import AuditEntry
from dibs.errors import BadInput
from dibs.kit.clock import to_micros
from dibs.kit.ids import id_from

DELIVER = "WEBHOOK_DELIVER"
# An app says so in the audit log: `ctx.audit("ALERT_LOW_DISK")`.
ALERTING = "ALERT_"
MOST_ENDPOINTS = 20
LONGEST_URL = 2_000
ROTATION_OVERLAP = timedelta(hours=24)
LONGEST_OVERLAP = timedelta(days=30)
KEEP_DELIVERIES = timedelta(days=30)


class Event(StrEnum):
    """What endpoints can ask for."""

    JOB_FINISHED = "job.finished"
    JOB_FAILED = "job.failed"
    ALERT = "alert"


class WebhookAction(StrEnum):
    """What the audit log says of endpoints."""

    ADDED = "WEBHOOK_ADDED"
    ROTATED = "WEBHOOK_ROTATED"
    REMOVED = "WEBHOOK_REMOVED"


class DeliveryState(StrEnum):
    """Where a delivery stands."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


_EVENTS: dict[str, Event] = {
    JobAction.SUCCEEDED: Event.JOB_FINISHED,
    JobAction.FAILED: Event.JOB_FAILED,
    JobAction.EXHAUSTED_RETRIES: Event.JOB_FAILED,
    JobAction.QUARANTINED: Event.JOB_FAILED,
    AdmissionAction.SOURCE_BROKEN: Event.ALERT,
    AdmissionAction.GATE_SHUT: Event.ALERT,
}


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where messages go. `tenant` None: the installation's own, for what concerns every tenant."""

    id: str
    tenant: str | None
    url: str
    events: tuple[str, ...]
    created_by: str
    created_at: datetime
    disabled_at: datetime | None = None

    def wants(self, event: Event, at: datetime) -> bool:
        """Whether it is to hear of something that happened at an instant."""
        return self.disabled_at is None and event in self.events and at >= self.created_at


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """One message on its way to one endpoint."""

    id: str
    endpoint_id: str
    event: str
    subject: str
    state: str
    attempts: int
    status: int | None
    error: str
    body: str
    created_at: datetime
    tried_at: datetime | None = None


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """What is told: references only, never what a job was given or made."""

    event: Event
    sequence: int
    subject: str
    at: datetime
    body: str


class Cursor(msgspec.Struct, frozen=True, kw_only=True):
    """How far a tenant's log was read: the position of the last seal."""

    tenant: str
    position: int


def find_event(entry: AuditEntry) -> Event | None:
    """Tell which event an entry of the audit log is; None: none that anybody can ask for."""
    if entry.action.startswith(ALERTING):
        return Event.ALERT
    return _EVENTS.get(entry.action)


def find_job_id(entry: AuditEntry) -> str | None:
    """Tell which job an entry is about."""
    kind, _, name = entry.subject.partition(":")
    return name if kind == "job" else None


def write_message(entry: AuditEntry, event: Event, job: Job | None) -> Message:
    """Write what is told of an entry."""
    data: dict[str, object] = {"action": entry.action, "subject": entry.subject, "tenant": entry.tenant}
    if job is not None:
        data |= {"job_id": job.id, "job_type": job.job_type, "queue": job.queue, "attempts": job.attempts}
    body = msgspec.json.encode({"type": event.value, "timestamp": entry.at, "data": data})
    return Message(event=event, sequence=entry.sequence, subject=entry.subject, at=entry.at, body=body.decode())


def name_delivery(message: Message, endpoint_id: str) -> str:
    """Give the id that this message to this endpoint always has: whoever reads the log twice makes it once."""
    digest = hashlib.sha256(f"{endpoint_id}:{message.sequence}:{message.subject}".encode()).digest()
    return id_from(to_micros(message.at) // 1_000, digest)


def fit_events(events: Sequence[str]) -> tuple[str, ...]:
    """Check what an endpoint asks for."""
    unknown = sorted(set(events) - set(Event))
    if unknown or not events:
        named = repr(unknown[0][:80]) if unknown else "nothing"
        message = f"{named} is no event. There are: {', '.join(Event)}."
        raise BadInput(message)
    return tuple(event for event in Event if event in events)
