"""What a user of sources can set and ask is documented, or the build fails."""

import inspect

import pytest

from dibs.outside.cache import CachePrune, CacheRules, CacheSize, CacheTally
from dibs.outside.sources import Request, Response, SourcePolicy, Sources
from dibs.outside.transport import Limits, Rules
from tests.docs.pages import DOCS

PAGE = (DOCS / "reference" / "sources.md").read_text()
RECORDS = [Request, SourcePolicy, Rules, Limits, CacheRules]


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize(
    ("title", "field"), [(kind.__name__, field) for kind in RECORDS for field in kind.__struct_fields__]
)
def test_every_field_is_documented(title, field):
    assert f"\n| `{field}` |" in section(title)


@pytest.mark.parametrize(
    "field", [*CachePrune.__struct_fields__, *CacheSize.__struct_fields__, *CacheTally.__struct_fields__]
)
def test_everything_about_the_cache_is_documented(field):
    assert f"`{field}`" in section("Cache")


@pytest.mark.parametrize("name", [name for name, _ in inspect.getmembers(Response) if not name.startswith("_")])
def test_everything_a_response_offers_is_documented(name):
    assert f"`{name}" in section("Response")


@pytest.mark.parametrize("name", [name for name, _ in inspect.getmembers(Sources) if not name.startswith("_")])
def test_every_verb_of_sources_is_documented(name):
    assert f"`{name}(" in section("Sources")
