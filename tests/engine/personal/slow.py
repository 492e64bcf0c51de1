"""Somebody who is looked for slowly."""

import threading
from typing import Any

from dibs.engine.personal.inquiry import Inquiry


class Slow(Inquiry):
    """Looks at the first thing until others have done what they are to do meanwhile."""

    def __init__(self, tenant: str, *references: str) -> None:
        super().__init__(tenant, references)
        self.begun, self.may_go_on = threading.Event(), threading.Event()

    def names(self, value: Any) -> bool:
        """Wait, then tell."""
        self.begun.set()
        assert self.may_go_on.wait(60), "everybody else waits for this"
        return super().names(value)
