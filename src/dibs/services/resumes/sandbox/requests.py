"""What can be asked of a child, and what it answers."""

from datetime import date

from msgspec import Struct

from dibs.services.resumes.document import Document, Kind, Page
from dibs.services.resumes.reading.limits import Limits
from dibs.services.resumes.reading.scan.engines import Engine
from dibs.services.resumes.sandbox.allowance import Allowance


class Read(Struct, frozen=True, kw_only=True, tag=True):
    """Read a document."""

    name: str = ""
    declared: str | None = None
    limits: Limits = Limits()
    ocr: Engine = Engine.LATER


class Parse(Struct, frozen=True, kw_only=True, tag=True):
    """Read a document and understand what is text. `keeps`: give the document as well, not only for its pictures."""

    today: date
    name: str = ""
    declared: str | None = None
    limits: Limits = Limits()
    keeps: bool = False


class Scan(Struct, frozen=True, kw_only=True, tag=True):
    """Read one page that is a picture."""

    kind: Kind
    number: int
    ocr: Engine = Engine.AUTO
    limits: Limits = Limits()


class Understand(Struct, frozen=True, kw_only=True, tag=True):
    """Make a profile of a document that was read."""

    document: Document
    today: date


class Try(Struct, frozen=True, kw_only=True, tag=True):
    """Try to do what a child must not be able to."""

    what: str


Request = Read | Parse | Scan | Understand | Try


class Order(Struct, frozen=True):
    """A request on its way, with what the child may use."""

    request: Request
    allowance: Allowance


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a child found. `profile` is JSON, still encoded."""

    document: Document | None = None
    page: Page | None = None
    profile: bytes | None = None
    refusal: str = ""
    message: str = ""
    done: bool = False


class Ending(Struct, frozen=True, kw_only=True):
    """How a child ended."""

    code: int
    """What it left with, or minus the signal that ended it."""
    late: bool = False
    most_bytes: int = 0
