"""The one way out for crawling: permission, pace, cache, breaker and robots.txt of governed sources."""

from dibs.outside.extra import name_extra

try:
    from dibs.outside.sources.opening import make_sources
    from dibs.outside.sources.request import Request, SourcePolicy
    from dibs.outside.sources.response import Response
    from dibs.outside.sources.sources import Sources
except ModuleNotFoundError as cause:
    raise name_extra(cause, "crawl") from cause

__all__ = ["Request", "Response", "SourcePolicy", "Sources", "make_sources"]
