"""One sandbox for all tests of resumes: starting it takes longer than any of them."""

from collections.abc import Iterator

import pytest

from dibs.services.resumes.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as one:
        yield one
