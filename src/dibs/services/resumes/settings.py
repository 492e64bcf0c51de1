"""What can be set for reading resumes, each with its environment variable."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from dibs.errors import BadInput
from dibs.services.resumes.reading import Limits
from dibs.services.resumes.reading.scan import Engine
from dibs.services.resumes.sandbox import Allowance

MEBIBYTE = 1024 * 1024
LARGEST = 1_000_000_000_000
CHOICES = (Engine.AUTO, Engine.TESSERACT, Engine.RAPID, Engine.OFF)


class ResumeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Limits on documents and on the children that open them. docs/reference/resumes.md lists them."""

    max_bytes: int = 20 * MEBIBYTE
    max_unpacked_bytes: int = 100 * MEBIBYTE
    max_members: int = 2_000
    max_pages: int = 10
    max_characters: int = 300_000
    max_pixels: int = 50_000_000
    memory_mib: int = 512
    cpu_seconds: int = 10
    wall_seconds: float = 30.0
    ocr: Engine = Engine.AUTO
    ocr_memory_mib: int = 1_024
    ocr_seconds: int = 60
    folder: str = "dibs-documents"

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, int | float) and not 0 < value <= LARGEST:
                message = f"{name}={value!r} makes no sense. Use a positive number."
                raise BadInput(message)
        if self.ocr not in CHOICES:
            message = f"ocr={self.ocr.value!r} is no engine. Use {', '.join(CHOICES)}."
            raise BadInput(message)

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ, *, data: str = "") -> "ResumeSettings":
        """Read the variables: `DIBS_RESUMES_` and the name of the field; one that is not set leaves its default.

        `data`: the folder of an installation, if it has one; documents are in there.
        """
        given = {name: env[key] for name in cls.__struct_fields__ if env.get(key := f"DIBS_RESUMES_{name.upper()}")}
        if data:
            given = {"folder": str(Path(data) / "documents"), **given}
        try:
            return msgspec.convert(given, cls, strict=False)
        except msgspec.ValidationError as fault:
            message = (
                f"a setting of resumes makes no sense: {fault}. Set DIBS_RESUMES_… to a positive number, or unset it."
            )
            raise BadInput(message) from fault

    @property
    def limits(self) -> Limits:
        """What is read of a document."""
        return msgspec.convert(self, Limits, from_attributes=True)

    @property
    def allowance(self) -> Allowance:
        """What a child may use that reads text."""
        return Allowance(
            memory_bytes=self.memory_mib * MEBIBYTE, cpu_seconds=self.cpu_seconds, wall_seconds=self.wall_seconds
        )

    @property
    def scan_allowance(self) -> Allowance:
        """What a child may use that reads a picture."""
        wall = max(self.wall_seconds, 2.0 * self.ocr_seconds)
        return Allowance(memory_bytes=self.ocr_memory_mib * MEBIBYTE, cpu_seconds=self.ocr_seconds, wall_seconds=wall)
