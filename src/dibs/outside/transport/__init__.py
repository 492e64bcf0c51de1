"""The guarded transport: no way out leads around it."""

from dibs.outside import require

require("httpx", extra="crawl")
