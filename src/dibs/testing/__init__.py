"""For tests: ours, and those of people who build on Dibs or write a backend for it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dibs.testing.harness import StoreHarness
    from dibs.testing.suite import BackendSuite

__all__ = ["BackendSuite", "StoreHarness"]


def __getattr__(name: str) -> Any:
    # On demand: the servers in this package are also for demos, where pytest is not installed.
    if name == "StoreHarness":
        from dibs.testing.harness import StoreHarness

        return StoreHarness
    if name == "BackendSuite":
        import pytest

        pytest.register_assert_rewrite("dibs.testing.suite")
        from dibs.testing.suite import BackendSuite

        return BackendSuite
    raise AttributeError(name)
