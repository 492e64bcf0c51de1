"""Artifacts are merged key by key, and nothing is lost."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.apps.postings.claims.artifacts import (
    LARGEST_INLINE,
    check_artifacts,
    find_blobs,
    merge_artifacts,
    put_together,
    store_apart,
)

KEYS = st.text(st.characters(codec="utf-8", exclude_characters="\x00$"), min_size=1, max_size=5)
LEAVES = st.one_of(
    st.booleans(), st.integers(), st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=5)
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.dictionaries(KEYS, inner, max_size=3) | st.lists(inner, max_size=3), max_leaves=8
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)


def find_paths(value, path=()):
    if not isinstance(value, dict):
        return {path}
    return {path} | {found for key, inner in value.items() for found in find_paths(inner, (*path, key))}


def test_the_seeds_example_is_merged_without_losing_a_field():
    kept = {"resume_url": "s3://resumes/v2.pdf"}
    kept = merge_artifacts(kept, {"answers": {"yoe": "5"}}).artifacts
    kept = merge_artifacts(kept, {"answers": {"visa_required": "no"}}).artifacts
    kept = merge_artifacts(kept, {"confirmation_url": "https://example.com/c"}).artifacts
    assert kept == {
        "resume_url": "s3://resumes/v2.pdf",
        "answers": {"yoe": "5", "visa_required": "no"},
        "confirmation_url": "https://example.com/c",
    }


def test_the_last_word_on_one_key_counts():
    assert merge_artifacts({"notes": "a"}, {"notes": "b"}).artifacts == {"notes": "b"}


def test_the_same_report_again_changes_nothing():
    kept = {"answers": {"yoe": "5"}}
    assert not merge_artifacts(kept, {"answers": {"yoe": "5"}}).is_changed
    assert not merge_artifacts(kept, {}).is_changed


@pytest.mark.parametrize(
    ("before", "after"), [(1, True), (0, False), (1, 1.0), ([0, 1], [0, True]), ([{"a": 1}], [{"a": True}])]
)
def test_what_python_takes_for_equal_is_another_value_and_is_written(before, after):
    merged = merge_artifacts({"answers": {"visa": before}}, {"answers": {"visa": after}})
    assert merged.is_changed
    assert json.dumps(merged.artifacts) == json.dumps({"answers": {"visa": after}})
    assert not merge_artifacts(merged.artifacts, {"answers": {"visa": after}}).is_changed


def test_the_order_of_keys_says_nothing():
    kept = {"steps": [{"a": 1, "b": 2}], "to": {"c": 3, "d": 4}}
    assert not merge_artifacts(kept, {"to": {"d": 4, "c": 3}, "steps": [{"b": 2, "a": 1}]}).is_changed


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"a": None}, "artifacts.a is null"),
        ({"a": {"b": None}}, "artifacts.a.b is null"),
        ({"a": [1, None]}, "artifacts.a[1] is null"),
        ([], "artifacts is no object"),
        ("x", "artifacts is no object"),
        ({"": 1}, "a key ''"),
        ({"$blob": "x"}, "a key '$blob'"),
        ({"k" * 300: 1}, "that cannot be used"),
        ({"a": "\x00"}, "NUL"),
        ({"a": "\ud800"}, "half a character"),
        ({"answers": "none"}, "artifacts.answers is an object"),
        ({"notes": {"a": 1}}, "artifacts.notes is no object"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_changes_nothing(given, fault):
    kept = {"answers": {"yoe": "5"}, "notes": "x"}
    merged = merge_artifacts(kept, given)
    assert fault in merged.faults[0]
    assert merged.artifacts == kept


def test_all_faults_are_told_at_once():
    assert len(check_artifacts({"a": None, "b": {"c": None}, "d": "\x00"})) == 3


def test_too_much_is_refused():
    assert "over the limit" in merge_artifacts({"a": "x" * 600}, {"b": "y" * 600}, limit=1000).faults[0]


def test_too_deep_is_refused():
    deep: dict = {}
    for _ in range(30):
        deep = {"a": deep}
    assert "deep" in merge_artifacts({}, deep).faults[0]


@given(OBJECTS, OBJECTS)
def test_merging_loses_no_key(one, other):
    merged = merge_artifacts(one, other)
    if not merged.faults:
        kept = {path for path in find_paths(one) if path}
        assert kept <= find_paths(merged.artifacts)
        assert merge_artifacts(merged.artifacts, other).artifacts == merged.artifacts


@given(st.lists(OBJECTS, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_reports_on_different_keys_can_come_in_any_order(reports, chance):
    apart = [{f"report{number}": report} for number, report in enumerate(reports)]
    mixed = list(apart)
    chance.shuffle(mixed)

    def merge_all(these):
        kept: dict = {}
        for one in these:
            kept = merge_artifacts(kept, one).artifacts
        return kept

    assert merge_all(apart) == merge_all(mixed)


def test_long_values_are_stored_apart_and_come_back():
    artifacts = {"letter": "x" * (LARGEST_INLINE + 1), "answers": {"yoe": "5", "essay": "y" * 50_000}, "n": 1}
    slim, blobs = store_apart(artifacts)
    assert len(json.dumps(slim)) < 500
    assert find_blobs(slim) == set(blobs)
    assert len(blobs) == 2
    assert put_together(slim, blobs) == artifacts
