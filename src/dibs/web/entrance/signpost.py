"""Which door a request is meant for, where a path is fixed: found by its name, without asking all others."""

from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any

from starlette.datastructures import URLPath
from starlette.routing import BaseRoute, Match, NoMatchFound, Route
from starlette.types import Receive, Scope, Send


class Signpost(BaseRoute):
    """Stands before all routes. What it does not know goes the usual way, from one route to the next."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._known = dict(_find_fixed(routes))

    def matches(self, scope: MutableMapping[str, Any]) -> tuple[Match, MutableMapping[str, Any]]:
        """Give the answer of the route that is meant, if it is known."""
        known = None
        if scope["type"] == "http" and not scope.get("root_path"):
            known = self._known.get((scope["method"], scope["path"]))
        if known is None:
            return Match.NONE, {}
        return Match.FULL, {
            "endpoint": known.endpoint,
            "path_params": dict(scope.get("path_params", ())),
            "route": known,
        }

    def url_path_for(self, name: str, /, **path_params: Any) -> URLPath:
        """Know no names: the routes themselves do."""
        raise NoMatchFound(name, path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the route that was found."""
        await scope["route"].handle(scope, receive, send)


def _find_fixed(routes: Sequence[BaseRoute]) -> Iterator[tuple[tuple[str, str], Route]]:
    """Give the routes of fixed paths that would be found anyway: no route before them takes the same."""
    for place, route in enumerate(routes):
        if not isinstance(route, Route) or "{" in route.path_format:
            continue
        for method in sorted(route.methods or ()):
            asked = {"type": "http", "method": method, "path": route.path_format, "root_path": ""}
            if all(earlier.matches(dict(asked))[0] is not Match.FULL for earlier in routes[:place]):
                yield (method, route.path_format), route
