"""Text that must not be seen."""


class Secret(str):
    """A string that does not show itself in a repr, so that no log or traceback tells it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Secret(…)" if self else "Secret()"
