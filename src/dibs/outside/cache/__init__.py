"""What was fetched before, kept for a while: so that the same question is not asked twice."""

from dibs.outside.cache.cache import Cache
from dibs.outside.cache.freshness import CacheRules
from dibs.outside.cache.keys import join_key
from dibs.outside.cache.opening import find_cache_file, grant_cache, make_cache
from dibs.outside.cache.records import CachePrune, CacheSize, CacheTally

__all__ = [
    "Cache",
    "CachePrune",
    "CacheRules",
    "CacheSize",
    "CacheTally",
    "find_cache_file",
    "grant_cache",
    "join_key",
    "make_cache",
]
