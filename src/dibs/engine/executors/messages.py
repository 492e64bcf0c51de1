"""What a worker and its handler processes say to each other: JSON, each message after its length in four bytes."""

from typing import Any

import msgspec

from dibs.engine.failure import ErrorInfo, FailureKind
from dibs.engine.job import Job
from dibs.engine.tasks.task import EnqueueOptions

LENGTH_BYTES = 4
# The first thing a child says, when it has started: a frame with nothing in it.
GREETING = bytes(LENGTH_BYTES)
PARTING_SECONDS = 2.0


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a new process finds a task: in a module, or in the script that the worker was started with."""

    module: str
    attribute: str
    script: str | None = None


class Message(msgspec.Struct, tag=True):
    """One thing said."""


class Run(Message):
    """To the child: run this job. `limit` is the size of the largest payload, in bytes."""

    place: Place
    job: Job
    limit: int


class Withdraw(Message):
    """To the child: the job is not wanted any more."""


class Granted(Message):
    """To the child: what it asked for is done."""

    job: Job | None = None


class Refused(Message):
    """To the child: what it asked for failed, with this error of `dibs.errors` or one of somebody else's."""

    error: ErrorInfo


class Progress(Message):
    """To the parent: keep how far the job is."""

    value: Any


class Beat(Message):
    """To the parent: renew the lease now."""


class Spent(Message):
    """To the parent: the execution has cost something."""

    microcents: int


class Enqueue(Message):
    """To the parent: store a child of the job. `named` says which options were given."""

    task: str
    given: Any
    options: EnqueueOptions
    named: tuple[str, ...]


class Returned(Message):
    """To the parent: the handler returned a result."""

    result: Any


class Ended(Message):
    """To the parent: the handler returned an outcome, by its class name."""

    outcome: str
    fields: Any


class Raised(Message):
    """To the parent: the handler raised. `classes` are those of its ancestors that every process knows."""

    error: ErrorInfo
    kind: FailureKind
    classes: tuple[str, ...]


FromParent = Run | Withdraw | Granted | Refused
Question = Progress | Beat | Spent | Enqueue
Answer = Returned | Ended | Raised
FromChild = Question | Answer

_encoder = msgspec.json.Encoder()
_from_parent: msgspec.json.Decoder[FromParent] = msgspec.json.Decoder(FromParent)
_from_child: msgspec.json.Decoder[FromChild] = msgspec.json.Decoder(FromChild)


def encode_frame(message: Message) -> bytes:
    """Write a message with its length before it."""
    body = _encoder.encode(message)
    return len(body).to_bytes(LENGTH_BYTES) + body


def decode_from_parent(body: bytes) -> FromParent:
    """Read what the worker said."""
    return _from_parent.decode(body)


def decode_from_child(body: bytes) -> FromChild:
    """Read what the handler process said."""
    return _from_child.decode(body)
