"""The one way out for crawling: permission, pace, cache, breaker and robots.txt of governed sources."""

from dibs.outside import require

require("protego", extra="crawl")
