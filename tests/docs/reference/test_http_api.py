"""The page of the API says what the API says."""

import re

import pytest

from dibs.server.reference.kinds import Schema, write_default, write_kind
from dibs.server.reference.page import write_page
from tests.docs.pages import DOCS

SHAPES: dict[str, Schema] = {
    "State": {"enum": ["pending", "running"]},
    "Scope": {"enum": [f"word:{number}" for number in range(9)]},
    "JobShape": {"type": "object", "properties": {}},
}
KINDS: dict[str, Schema] = {
    "text (1 to 200 characters)": {"type": "string", "minLength": 1, "maxLength": 200},
    "instant": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
    "number (above 0, up to 3,600)": {"type": "number", "exclusiveMinimum": 0.0, "maximum": 3600.0},
    "list of 1 to 3: `pending`, `running`": {
        "type": "array",
        "items": {"$ref": "#/components/schemas/State"},
        "minItems": 1,
        "maxItems": 3,
    },
    "list of [Scope](#scope)": {"type": "array", "items": {"$ref": "#/components/schemas/Scope"}},
    "list of 2: number": {"type": "array", "prefixItems": [{"type": "number"}] * 2, "minItems": 2, "maxItems": 2},
    "[JobShape](#jobshape)": {"anyOf": [{"$ref": "#/components/schemas/JobShape"}, {"type": "null"}]},
    "object, of each name integer": {"type": "object", "additionalProperties": {"type": "integer"}},
    "true or false": {"type": "boolean"},
    "any JSON": {"title": "Input"},
}


@pytest.fixture(scope="module")
def written() -> str:
    return write_page()


def test_the_reference_of_the_api_is_the_one_that_its_description_gives(written):
    page = (DOCS / "reference" / "http-api.md").read_text()
    assert page == written, "run: python -m dibs.server.reference > docs/reference/http-api.md"


def test_every_field_of_a_body_and_every_parameter_says_what_it_is(written):
    routes, _, _ = written.partition("## Problems")
    rows = re.findall(r"^\| `([^`]+)` \|.*\|([^|]*)\|$", routes, re.MULTILINE)
    assert len(rows) > 200
    assert [name for name, about in rows if not about.strip()] == []


def test_every_shape_that_is_named_has_its_place(written):
    assert {name.lower() for name in re.findall(r"^### (\w+)$", written, re.MULTILINE)} >= set(
        re.findall(r"\]\(#(\w+)\)", written)
    )


@pytest.mark.parametrize("words", KINDS)
def test_what_a_field_takes_is_said_in_words(words):
    assert write_kind(KINDS[words], SHAPES) == words


def test_what_a_field_is_when_it_is_left_out_is_said(written):
    assert write_default({"default": "UTC"}, is_needed=False) == "`UTC`"
    assert write_default({"default": False}, is_needed=False) == "`false`"
    assert write_default({"default": 0}, is_needed=False) == "`0`"
    assert write_default({}, is_needed=True) == "needed"
    assert "| `overlap` | `allow`, `skip`, `queue_one`, `cancel_running` | `allow` |" in written
