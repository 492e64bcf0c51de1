"""The pytest plugin: two fixtures, and nothing that happens unless a test asks for one of them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from dibs.engine.app import App
    from dibs.testing.harness import StoreHarness
    from dibs.testing.kit import Kit, SyncKit


@pytest.fixture
def dibs_kit() -> "Iterator[Callable[..., Kit]]":
    """Make a kit for an app until the test ends: `kit = dibs_kit(app)`. For async tests, on a store in memory."""
    from dibs.testing.kit import Kit  # noqa: PLC0415 - whoever does not ask for it does not pay for it

    with ExitStack() as kits:

        def make(app: "App", *, at: datetime | None = None) -> Kit:
            kit = Kit(app, at=at).start()
            kits.callback(kit.stop)
            return kit

        yield make


@pytest.fixture
def dibs_sync_kit() -> "Iterator[Callable[..., SyncKit]]":
    """Make a kit for an app until the test ends: `kit = dibs_sync_kit(app)`. For tests that are not async."""
    from dibs.testing.kit import SyncKit  # noqa: PLC0415 - the same

    with ExitStack() as kits:

        def make(app: "App", *, store: "StoreHarness | None" = None, at: datetime | None = None) -> SyncKit:
            return kits.enter_context(SyncKit(app, store=store, at=at))

        yield make
