"""Who is named, and who is not."""

import json
import time
import unicodedata
from urllib.parse import quote, quote_plus

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.engine.personal.inquiry import Inquiry
from dibs.errors import BadInput

ADA = Inquiry("acme", ["ada@example.com", "person-1"])
NAME = "Zo\u00eb M\u00fcller-Wei\u00df"
ZOE = Inquiry("acme", [NAME, "zoe@example.com", "+49 (170) 765-4321", "00 49 123456789", "kunde 4711", "0012345678"])


def widen(text):
    """Write a text as East Asian keyboards do."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


# Ways in which programs write the same text.
WRITINGS = {
    "as it is": str,
    "upper case": str.upper,
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "full width": widen,
    "JSON": json.dumps,
    "JSON in JSON": lambda text: json.dumps(json.dumps({"a": f"line\n{text}"})),
    "a link": lambda text: f"https://x.example/?q={quote(text, safe='')}",
    "a form": lambda text: f"q={quote_plus(text)}",
    "a link in JSON in a link": lambda text: quote(json.dumps({"next": quote(text)})),
    "bytes": lambda text: repr(f"line\n{text}".encode()),
    "a page": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "hyphens nobody sees": "\u00ad".join,
}


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
    [
        "nada@example.com",
        "x.ada@example.com",
        "x+ada@example.com",
        "ada@example.community",
        "person-12",
        "person-1-b",
        "a-person-1",
        1,
        None,
        b"person-1",
    ],
)
def test_others_are_not(value):
    assert not ADA.names(value)


@pytest.mark.parametrize("write", WRITINGS.values(), ids=WRITINGS)
@pytest.mark.parametrize("reference", [NAME, "zoe@example.com"])
def test_a_person_is_found_and_taken_out_however_a_program_writes_them(write, reference):
    text = f"before {write(reference)} after"
    assert ZOE.names({"note": [text]})
    left = ZOE.redact(text)
    assert not ZOE.names(left)
    assert (left.startswith("before "), "[erased]" in left, left.endswith(" after")) == (True, True, True)


@pytest.mark.parametrize(
    "value",
    [
        "zoe+jobs@example.com",
        "answer:who is zoe example com",
        "00 49 170 7654321",
        "+491707654321",
        "Zo\u00eb\nM\u00fcller-Wei\u00df",
        "ZO\u00cb M\u00dcLLER-WEISS",
        "Kunde\u00a04711",
        {"phone": 49123456789, "of": True},
    ],
)
def test_a_person_is_found_in_the_ways_people_write(value):
    assert ZOE.names(value)


@pytest.mark.parametrize("value", ["zoe@example.community", "+49 170 76543210", "kunde 47110", "kunde4711", "12345678"])
def test_a_longer_word_is_somebody_elses(value):
    assert not ZOE.names(value)


@pytest.mark.parametrize("reference", ["--@-", "\u263a\u263a@\u263a", "\u263a\u263a@example.com", "\ufe0f" * 4])
def test_an_address_without_words_is_not_everybodys(reference):
    meant = Inquiry("acme", [reference])
    assert not any(meant.names(text) for text in ("", "Hello, Bert!", "bert example com", "a  b"))
    assert meant.redact("Bert, the other.") == "Bert, the other."


def test_a_text_of_many_tags_is_read_in_no_time():
    began = time.process_time()
    assert not ADA.names("ada+" * 50_000 + "example")
    assert time.process_time() - began < 5


def test_what_is_true_or_missing_is_no_text():
    assert not Inquiry("acme", ["True", "None"]).names([True, None])


@given(st.text(alphabet="ada@example.com person-1\\\\u0061%40&#;n\u0301\u00ad\uff41"))
def test_nobody_is_named_in_what_is_left_of_a_text(text):
    assert not ADA.names(ADA.redact(text))
    assert ADA.names(text) or ADA.redact(text) == text


def test_what_stands_around_a_person_stays():
    text = 'see {"to": "x\\nada@example.com", "cc": "b%C3%A9a@example.com"} \u00df\uff41'
    assert ADA.redact(text) == 'see {"to": "x\\n[erased]", "cc": "b%C3%A9a@example.com"} \u00df\uff41'


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
