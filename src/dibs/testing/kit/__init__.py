"""For people who test their own tasks: the engine's real code on a store whose clock stands still.

Read `kit.py` for what a test may do, `faults.py` for how a worker is made to fail.
"""

from dibs.engine.executors.executor import WorkerDied
from dibs.testing.kit.faults import Moment
from dibs.testing.kit.kit import Kit
from dibs.testing.kit.sync import SyncKit

__all__ = ["Kit", "Moment", "SyncKit", "WorkerDied"]
