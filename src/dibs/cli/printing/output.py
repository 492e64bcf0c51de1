"""Printing: what stdout and stderr get, and nothing that a job's author could slip into a terminal."""

import sys
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

# Without a terminal nothing is cut: rich would take 80 columns.
UNBOUNDED = 100_000
STATE_STYLES = {
    "pending": "",
    "running": "cyan",
    "retryable": "yellow",
    "succeeded": "green",
    "failed": "red",
    "cancelled": "dim",
}
_encoder = msgspec.json.Encoder(decimal_format="number")


def make_console(*, is_error: bool = False) -> "Console":
    """Make a console on stdout or stderr, as wide as its terminal."""
    from rich.console import Console

    stream = sys.stderr if is_error else sys.stdout
    return Console(
        file=stream,
        width=None if stream.isatty() else UNBOUNDED,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def show(*parts: "RenderableType") -> None:
    """Print parts on stdout, one below the other."""
    console = make_console()
    for part in parts:
        console.print(part)


def show_line(text: str) -> None:
    """Print one plain line on stdout."""
    sys.stdout.write(f"{clean(text)}\n")


def tell(text: str) -> None:
    """Print one plain line on stderr."""
    sys.stderr.write(f"{clean(text)}\n")
    sys.stderr.flush()


def hint(text: str) -> None:
    """Tell something that only a person wants to know."""
    if sys.stderr.isatty():
        tell(text)


def show_json(value: Any, *, is_line: bool = False) -> None:
    """Print one JSON document: indented for a person's eyes, in one line for programs."""
    encoded = _encoder.encode(value)
    if sys.stdout.isatty() and not is_line:
        encoded = msgspec.json.format(encoded, indent=2)
    sys.stdout.write(f"{encoded.decode()}\n")
    sys.stdout.flush()


def clean(text: str) -> str:
    """Make control characters visible: a payload must not move the cursor or recolour the terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\x{ord(char):02x}" for char in text)


def styled(text: object, style: str = "") -> "Text":
    """Text as it is, without markup and without control characters."""
    from rich.text import Text

    return Text(clean(str(text)), style=style)


def state_text(state: str) -> "Text":
    """A state in its colour."""
    return styled(state, STATE_STYLES.get(state, ""))


def plural(count: int, noun: str) -> str:
    """`1 job`, `2 jobs`, `1,000 jobs`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
