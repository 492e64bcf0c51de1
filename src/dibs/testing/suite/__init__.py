"""The conformance suite: what every backend promises, each promise a sentence.

    class TestMyStore(BackendSuite):
        @pytest_asyncio.fixture
        async def harness(self):
            async with my_store_for_tests() as store:
                yield store

Tests may be added in the subclass, never overridden. The only way out of a test is a capability that the backend
declares not to have. A store of named leases alone has a suite of its own, `LeaseSuite`, which is a part of the whole.
"""

import pytest

from dibs.testing.suite.admission.crowding import Crowding
from dibs.testing.suite.admission.gating import Gating
from dibs.testing.suite.admission.limiting import Limiting
from dibs.testing.suite.admission.replacing import Replacing
from dibs.testing.suite.admission.sourcing import Sourcing
from dibs.testing.suite.firing import Firing
from dibs.testing.suite.jobs.claiming import Claiming
from dibs.testing.suite.jobs.ending import Ending
from dibs.testing.suite.jobs.failing import Failing
from dibs.testing.suite.jobs.fencing import Fencing
from dibs.testing.suite.jobs.reclaiming import Reclaiming
from dibs.testing.suite.jobs.rewriting import Rewriting
from dibs.testing.suite.jobs.storing import Storing
from dibs.testing.suite.jobs.transactions import Transactions
from dibs.testing.suite.jobs.uniqueness import Uniqueness
from dibs.testing.suite.leasing import Leasing
from dibs.testing.suite.misuse.misusing import Misusing
from dibs.testing.suite.misuse.refusing import Refusing
from dibs.testing.suite.misuse.skewing import Skewing
from dibs.testing.suite.noticing import Noticing
from dibs.testing.suite.operating import Operating
from dibs.testing.suite.reading import Reading
from dibs.testing.suite.scheduling import Scheduling
from dibs.testing.suite.sealing import Sealing
from dibs.testing.suite.working import Working


@pytest.mark.asyncio
class BackendSuite(
    Storing,
    Uniqueness,
    Claiming,
    Ending,
    Failing,
    Fencing,
    Reclaiming,
    Operating,
    Rewriting,
    Reading,
    Noticing,
    Leasing,
    Working,
    Gating,
    Limiting,
    Crowding,
    Sourcing,
    Replacing,
    Sealing,
    Scheduling,
    Firing,
    Transactions,
    Skewing,
    Refusing,
    Misusing,
):
    """One class, run unchanged against every backend."""

    def __init_subclass__(cls) -> None:
        _refuse_overriding(cls, BackendSuite)


@pytest.mark.asyncio
class LeaseSuite(Leasing):
    """What every store of named leases promises; its harness may keep the jobs anywhere."""

    def __init_subclass__(cls) -> None:
        _refuse_overriding(cls, LeaseSuite)


def _refuse_overriding(cls: type, suite: type) -> None:
    overridden = [name for name in vars(cls) if name.startswith("test_") and hasattr(suite, name)]
    if overridden:
        message = f"{cls.__name__} overrides {overridden}: tests of the suite may be added to, never replaced"
        raise TypeError(message)


__all__ = ["BackendSuite", "LeaseSuite"]
