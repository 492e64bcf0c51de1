"""The only ways out: a guarded transport, and what is built on it."""

from importlib import import_module

from dibs.errors import MissingExtra


def require(module: str, *, extra: str) -> None:
    """Make sure that an optional package is there, or say how to get it."""
    try:
        import_module(module)
    except ModuleNotFoundError as cause:
        message = f"{cause.name} is not installed. Run: pip install 'dibs[{extra}]'"
        raise MissingExtra(message) from cause
