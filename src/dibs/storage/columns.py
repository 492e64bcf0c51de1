"""Columns that are the same on both stores."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, Dialect, Text, TypeDecorator
from sqlalchemy.types import TypeEngine

from dibs.kit.clock import from_micros, to_micros


class Instant(TypeDecorator[datetime]):
    """An aware instant to the microsecond: `timestamptz`, or whole microseconds where there is none."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose the store's own type."""
        return dialect.type_descriptor(DateTime(timezone=True) if dialect.name == "postgresql" else BigInteger())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Write one."""
        return value if value is None or dialect.name == "postgresql" else to_micros(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Read one."""
        return value if value is None or dialect.name == "postgresql" else from_micros(value)


class Words(TypeDecorator[tuple[str, ...]]):
    """A few words without blanks, such as scopes."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """Write them."""
        return None if value is None else " ".join(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...] | None:  # noqa: ARG002 - the same
        """Read them."""
        return None if value is None else tuple(value.split())
