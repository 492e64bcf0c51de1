"""Names with a slash in a path, such as `/queues/mail%2Furgent`.

Servers decode a path before anybody looks for its route, and the slash of a name would divide it. So it is hidden until
the route is found, behind half a character that no decoded text can hold.
"""

import re
from urllib.parse import unquote

from starlette.types import Scope

_HIDDEN = "\udc2f"
_ENCODED = re.compile(r"%2f", re.IGNORECASE)


def hide_slashes(scope: Scope) -> None:
    """Hide the slashes of names in the path of a request."""
    raw: bytes = scope.get("raw_path") or b""
    if b"%2" in raw:
        path = raw.decode("latin-1").partition("?")[0]
        scope["path"] = _HIDDEN.join(unquote(part) for part in _ENCODED.split(path))


def find_address(scope: Scope) -> str:
    """Give the path as it was asked for: encoded, and with no slash hidden, so that it can be asked for again."""
    raw: bytes = scope["raw_path"]
    return raw.decode("latin-1").partition("?")[0]


def show_slashes(scope: Scope) -> None:
    """Show them again in the names that a route has found."""
    if _HIDDEN in scope["path"]:
        scope["path_params"] = {
            name: value.replace(_HIDDEN, "/") if isinstance(value, str) else value
            for name, value in scope["path_params"].items()
        }
