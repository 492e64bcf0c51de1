"""People come with a cookie: which one, and how we know that what they change was asked for on our own pages."""

from datetime import timedelta
from ipaddress import ip_address
from urllib.parse import urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from dibs.errors import BadInput, RequestRefused

# Browsers keep a cookie with this prefix only over https, for this very host, and let no other host set it.
SECURE_COOKIE = "__Host-dibs"
# On loopback there is no https. Nobody is between the browser and us there.
LOOPBACK_COOKIE = "dibs"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# The part of a page that is asked for anew whenever something has happened.
REFRESHED = "live"
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Home(msgspec.Struct, frozen=True, kw_only=True):
    """Where people find us: at `public_url`, over https; or, if there is none, on loopback alone."""

    public_url: str = ""

    def __post_init__(self) -> None:
        parts = urlsplit(self.public_url if _plain(self.public_url) else "")
        is_origin = parts.scheme in _DEFAULT_PORTS and parts.netloc and not parts.path.strip("/") and not parts.query
        if self.public_url and (not is_origin or parts.username):
            message = f"public URL {self.public_url!r} is not of the form https://dibs.example.com. Correct it."
            raise BadInput(message)
        if parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
            message = f"public URL {self.public_url!r} has no https, and passwords would be readable. Use https."
            raise BadInput(message)

    @property
    def is_secure(self) -> bool:
        """Whether people come over https."""
        return urlsplit(self.public_url).scheme == "https"

    @property
    def cookie_name(self) -> str:
        """The name of the cookie of sessions."""
        return SECURE_COOKIE if self.is_secure else LOOPBACK_COOKIE

    def find_session(self, request: Request) -> str | None:
        """Give the id of the session that a request brings."""
        return find_cookie(request, self.cookie_name)

    def begin_session(self, response: Response, session: str, life: timedelta) -> None:
        """Hand the id of a session to the browser; no script can read it."""
        self._set_cookie(response, session, int(life.total_seconds()))

    def end_session(self, response: Response) -> None:
        """Let the browser forget it."""
        self._set_cookie(response, "", 0)

    def _set_cookie(self, response: Response, value: str, seconds: int) -> None:
        response.set_cookie(
            self.cookie_name, value, max_age=seconds, path="/", secure=self.is_secure, httponly=True, samesite="lax"
        )

    def check_origin(self, request: Request) -> None:
        """Refuse what another site lets a browser send here; it would come with the cookie all the same."""
        own = self._find_origin(request)
        origin = request.headers.get("origin")
        if origin is None and request.headers.get("sec-fetch-site") == "same-origin":
            return
        if origin is None or _plain(origin) != own:
            message = (
                f"this was sent from {(origin or 'nowhere')[:80]!r}, and is taken from {own} only."
                " Use the page there, or an API key."
            )
            raise RequestRefused(message, code="cross_site")

    def _find_origin(self, request: Request) -> str:
        if self.public_url:
            return _plain(self.public_url)
        host = request.headers.get("host", "")
        own = _plain(f"http://{host}")
        if not _is_loopback(urlsplit(own).hostname or ""):
            message = (
                f"people sign in over https, or on loopback; this came to {host[:80]!r}."
                " Start the server with --public-url https://…"
            )
            raise RequestRefused(message, code="not_at_home")
        return own


def find_cookie(request: Request, name: str) -> str | None:
    """Give the value of a cookie of ours, as it came.

    None of ours has anything to unescape, which Python does not do before 3.11.10 and 3.12.6 without taking seconds for
    a value made for it.
    """
    pairs = (pair.partition("=") for header in request.headers.getlist("cookie") for pair in header.split(";"))
    return {given.strip(): value.strip(' "') for given, _, value in pairs}.get(name)


def is_use(request: Request) -> bool:
    """Tell whether somebody asks, or a page by itself, which was left open and keeps what it shows up to date."""
    given = request.headers
    return given.get("hx-target") != REFRESHED and given.get("accept") != "text/event-stream"


def _plain(url: str) -> str:
    """Write an origin as browsers do: without the default port; empty if it cannot be read."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    shown = "" if port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f":{port}"
    return f"{parts.scheme}://{host}{shown}"


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
