"""The guarded transport: no way out leads around it."""

from dibs.outside.extra import name_extra

try:
    from dibs.outside.transport.guarded import GuardedTransport
    from dibs.outside.transport.rules import Limits, Rules
    from dibs.outside.transport.transport import HttpRequest, HttpResponse, Transport
except ModuleNotFoundError as cause:
    raise name_extra(cause, "crawl") from cause

__all__ = ["GuardedTransport", "HttpRequest", "HttpResponse", "Limits", "Rules", "Transport"]
