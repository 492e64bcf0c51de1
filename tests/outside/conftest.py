"""Hostile servers, and a transport that may go there and nowhere else."""

import ssl
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from trustme import CA

from dibs.outside.transport.rules import Limits, Rules
from dibs.outside.transport.transport import Transport
from tests.outside.hostile import Hostile, hostile_server

QUICK = Limits(
    body_bytes=1_000_000,
    wire_bytes=1_000_000,
    connect=timedelta(seconds=2),
    silence=timedelta(seconds=1),
    total=timedelta(seconds=3),
    patience=timedelta(seconds=0.2),
    slowest_bytes_per_second=1_000,
)


@pytest.fixture
async def hostile() -> AsyncIterator[Hostile]:
    async with hostile_server() as server:
        yield server


@pytest.fixture
async def other() -> AsyncIterator[Hostile]:
    async with hostile_server() as server:
        yield server


@pytest.fixture(scope="session")
def authority() -> CA:
    return CA()


@pytest.fixture
async def secure(authority: CA) -> AsyncIterator[Hostile]:
    """A server with a certificate for shop.example."""
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("shop.example").configure_cert(tls)
    async with hostile_server(tls) as server:
        yield server


@pytest.fixture
def rules(hostile: Hostile) -> Rules:
    return Rules(allow_hosts=frozenset({hostile.host}), limits=QUICK)


@pytest.fixture
async def transport(rules: Rules) -> AsyncIterator[Transport]:
    async with Transport(rules=rules) as transport:
        yield transport
