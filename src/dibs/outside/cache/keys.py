"""What callers call their pages. Pure."""

from collections.abc import Mapping
from hashlib import sha256

# What a default key may leave out: the answer does not depend on it, or only in its wording.
_NOT_TELLING = {"accept", "accept-encoding", "connection", "host", "user-agent"}


def join_key(*parts: str | int | None) -> str:
    """Join the parts of a key with bars: `source_id|year|mintmark|denomination|series|title`.

    A bar inside a part is escaped, so that different parts never make the same key; None is an empty part.
    """
    texts = ("" if part is None else str(part) for part in parts)
    return "|".join(text.replace("\\", "\\\\").replace("|", "\\|") for text in texts)


def request_key(method: str, url: str, headers: Mapping[str, str], body: bytes) -> str:
    """Make the key of a request for which the caller gave none: everything that its answer may depend on.

    Headers count too, because credentials are among them: what one account may see is not for another.
    """
    telling = sorted((name.lower(), value) for name, value in headers.items() if name.lower() not in _NOT_TELLING)
    digest = sha256(repr((telling, body)).encode("utf-8", "surrogatepass")).hexdigest() if telling or body else ""
    return join_key(method.upper(), url, digest)
