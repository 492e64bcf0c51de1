"""What goes over the gateway: questions as it wants them, answers as records. Bytes travel as base64."""

from collections.abc import Sequence
from typing import Any

import msgspec

Question = dict[str, Any]


class Header(msgspec.Struct, frozen=True):
    """What stands above every answer."""

    revision: int = 0


class KeyValue(msgspec.Struct, frozen=True):
    """A key as it is kept. A key that is not there is all zeros."""

    key: bytes = b""
    value: bytes = b""
    mod_revision: int = 0
    lease: int = 0


class Found(msgspec.Struct, frozen=True):
    """The keys that were asked for."""

    kvs: list[KeyValue] = []


class Step(msgspec.Struct, frozen=True):
    """The answer to one step of a transaction."""

    response_range: Found | None = None


class Committed(msgspec.Struct, frozen=True):
    """The answer to a transaction."""

    header: Header = Header()
    succeeded: bool = False
    responses: list[Step] = []

    def read_keys(self) -> list[KeyValue]:
        """Give the keys that its steps asked for, one each."""
        found = [step.response_range or Found() for step in self.responses]
        return [one.kvs[0] if one.kvs else KeyValue() for one in found]


class Granted(msgspec.Struct, frozen=True):
    """The answer to the grant of an etcd lease."""

    id: int = msgspec.field(name="ID", default=0)


class Remaining(msgspec.Struct, frozen=True):
    """What is left of an etcd lease; -1 when it is gone."""

    ttl: int = msgspec.field(name="TTL", default=0)


def is_at(key: bytes, revision: int) -> Question:
    """Compare: the key was last written at this revision; 0 means that it is not there."""
    return {"key": key, "target": "MOD", "result": "EQUAL", "mod_revision": str(revision)}


def get(key: bytes) -> Question:
    """Read a key."""
    return {"request_range": {"key": key}}


def put(key: bytes, value: bytes, lease_id: int = 0) -> Question:
    """Write a key, bound to an etcd lease or to none."""
    return {"request_put": {"key": key, "value": value, "lease": str(lease_id)}}


def delete(key: bytes) -> Question:
    """Delete a key."""
    return {"request_delete_range": {"key": key}}


def transaction(compare: Sequence[Question], then: Sequence[Question], otherwise: Sequence[Question] = ()) -> Question:
    """Do all of it at once."""
    return {"compare": compare, "success": then, "failure": otherwise}
