"""Who is named, and who is not."""

import msgspec
import pytest

from dibs.engine.personal.inquiry import Inquiry
from dibs.errors import BadInput

ADA = Inquiry("acme", ["ada@example.com", "person-1"])


@pytest.mark.parametrize(
    "value",
    [
        "ada@example.com",
        "Write to ADA@example.com.",
        "<ada@example.com>",
        {"to": ["x", {"mail": "ada@example.com"}]},
        {"person-1": 1},
        ("person-1",),
        '{"id":"person-1"}',
    ],
)
def test_whoever_is_named_as_a_word_is_found(value):
    assert ADA.names(value)


@pytest.mark.parametrize(
    "value",
    ["nada@example.com", "ada@example.community", "person-12", "person-1-b", "a-person-1", 1, None, b"person-1"],
)
def test_others_are_not(value):
    assert not ADA.names(value)


@pytest.mark.parametrize("text", ["Yours\nada@example.com", '"ada@example.com"', "\tperson-1"])
def test_json_is_read_before_it_is_searched(text):
    assert ADA.names_in_json(msgspec.json.encode({"note": text}).decode())


def test_references_are_taken_out_of_a_text():
    assert ADA.redact("person-1 is Ada@Example.com, not person-12") == "[erased] is [erased], not person-12"


def test_signs_of_patterns_are_taken_as_they_are():
    assert not Inquiry("acme", ["a.da+x"]).names("abda+x")
    assert Inquiry("acme", ["a.da+x"]).names("a.da+x")


@pytest.mark.parametrize("references", [[], ["ada"], ["   a  "], ["x" * 201], ["ada\n@example.com"]])
def test_what_names_nobody_is_refused(references):
    with pytest.raises(BadInput):
        Inquiry("acme", references)
