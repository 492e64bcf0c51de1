"""Signatures of the Standard Webhooks specification: made here, and checked by whoever receives.

Signed are the id, the time of sending and the very bytes of the body. Only the standard library is needed, so that a
receiver can use this file alone.
"""

import binascii
import hmac
import secrets as chance
from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from dibs.errors import WebhookRefused

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
TOLERANCE = timedelta(minutes=5)
PREFIX = "whsec_"
_VERSION = "v1"
_SECRET_BYTES = 32
# As the specification has it.
_SHORTEST_SECRET = 24
_MOST_SEEN = 100_000


class SeenIds:
    """Remembers the ids of messages for as long as they would still be taken, in this process.

    A receiver of several processes keeps them in its database instead: a unique column does the same.
    """

    def __init__(self, keep: timedelta = 2 * TOLERANCE) -> None:
        self._keep = keep
        self._seen: OrderedDict[str, datetime] = OrderedDict()

    def add(self, message_id: str, now: datetime) -> bool:
        """Take an id; False when it was taken before."""
        while self._seen and (len(self._seen) > _MOST_SEEN or next(iter(self._seen.values())) < now - self._keep):
            self._seen.popitem(last=False)
        if message_id in self._seen:
            return False
        self._seen[message_id] = now
        return True


def make_secret() -> str:
    """Make a secret as receivers know it."""
    return PREFIX + b64encode(chance.token_bytes(_SECRET_BYTES)).decode()


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Sign a message with one secret."""
    digest = hmac.digest(_read_secret(secret), f"{message_id}.{timestamp}.".encode() + body, "sha256")
    return f"{_VERSION},{b64encode(digest).decode()}"


def write_headers(secrets: Sequence[str], message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """Write the headers of a message: one signature for each secret that is valid."""
    timestamp = int(at.timestamp())
    signatures = " ".join(sign(secret, message_id, timestamp, body) for secret in secrets)
    return {ID: message_id, TIMESTAMP: str(timestamp), SIGNATURE: signatures}


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance: timedelta = TOLERANCE,
    now: datetime | None = None,
    seen: SeenIds | None = None,
) -> str:
    """Check a message that came, and give its id; `WebhookRefused` when it is not ours, too old, or came before.

    `body` is what came over the wire, byte for byte, before anybody parsed it. One of several secrets is enough, so
    that one can be replaced. A message that came before (`code` is "replay") was most likely sent again because the
    first answer was lost: answer 200, and do nothing.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = _need(given, ID), _read_timestamp(_need(given, TIMESTAMP))
    now = now or datetime.now(UTC)
    _check_signature(_need(given, SIGNATURE), [secrets] if isinstance(secrets, str) else secrets, given, body)
    if abs(now.timestamp() - timestamp) > tolerance.total_seconds():
        message = f"the message was sent at {timestamp}, more than {tolerance} from now. Check the clocks."
        raise WebhookRefused(message, code="time")
    if seen is not None and not seen.add(message_id, now):
        message = f"the message {message_id[:80]!a} came before. Answer 200, and do nothing."
        raise WebhookRefused(message, code="replay")
    return message_id


def _check_signature(text: str, secrets: Sequence[str], given: Mapping[str, str], body: bytes) -> None:
    """Compare every signature with every secret, in a time that tells nothing."""
    wanted = [sign(secret, given[ID], int(given[TIMESTAMP]), body) for secret in secrets]
    found = [one.encode() for one in text.split() if one.startswith(f"{_VERSION},")]
    fits = [hmac.compare_digest(one, other.encode()) for one in found for other in wanted]
    if not any(fits):
        message = "no signature fits the body and the secret. Take the bytes as they came, and check the secret."
        raise WebhookRefused(message, code="signature")


def _need(given: Mapping[str, str], name: str) -> str:
    value = given.get(name)
    if not value:
        message = f"the header {name} is missing. Only signed messages are taken."
        raise WebhookRefused(message, code="headers")
    return value


def _read_timestamp(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < len(str(2**53))):
        message = f"{TIMESTAMP} {text[:40]!a} is no number of seconds. Only signed messages are taken."
        raise WebhookRefused(message, code="headers")
    return int(text)


def _read_secret(secret: str) -> bytes:
    try:
        key = b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError) as cause:
        message = f"the secret is not in base64. Use it as it was given, with {PREFIX} in front."
        raise WebhookRefused(message, code="secret") from cause
    # Whoever forgot to set it must not take what anybody can sign.
    if len(key) < _SHORTEST_SECRET:
        message = f"the secret is empty, or shorter than {_SHORTEST_SECRET} bytes. Use it as it was given, whole."
        raise WebhookRefused(message, code="secret")
    return key
