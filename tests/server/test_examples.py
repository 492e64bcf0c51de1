"""The description has an example of everything, and each one is true to what it is an example of."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from tests.server.doors.test_doors import DESCRIPTION, walk

SHAPES: dict[str, Any] = DESCRIPTION["components"]["schemas"]


def find_shape(schema: dict[str, Any]) -> dict[str, Any]:
    return find_shape(SHAPES[schema["$ref"].rpartition("/")[2]]) if "$ref" in schema else schema


def find_content() -> Iterator[tuple[str, dict[str, Any]]]:
    for method, path, operation in walk(DESCRIPTION):
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            yield f"{method} {path} takes {kind}", content
        for status, answer in operation["responses"].items():
            for kind, content in answer.get("content", {}).items():
                yield f"{method} {path} answers {status} {kind}", content


def test_every_body_answer_and_parameter_has_an_example():
    bare = [
        where
        for where, content in find_content()
        if not {"example", "examples"} & {*content, *find_shape(content["schema"])}
    ]
    for method, path, operation in walk(DESCRIPTION):
        for one in operation.get("parameters", ()):
            bare += [] if {"example", "examples"} & {*one, *one["schema"]} else [f"{method} {path} {one['name']}"]
    assert bare == []


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_an_example_fits_its_shape(name):
    whole = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": SHAPES}}
    for example in SHAPES[name].get("examples", ()):
        assert list(jsonschema_rs.validator_for(whole, validate_formats=True).iter_errors(example)) == []


def test_an_example_of_a_parameter_fits_it():
    for _, _, operation in walk(DESCRIPTION):
        for one in operation.get("parameters", ()):
            if "example" in one:
                whole = {**one["schema"], "components": {"schemas": SHAPES}}
                assert list(jsonschema_rs.validator_for(whole).iter_errors(one["example"])) == []
