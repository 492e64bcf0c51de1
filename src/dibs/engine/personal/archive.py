"""What is held about a person, as an archive that can be handed over."""

from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from dibs.engine.personal.holding import Held

INDENT = 1


def write_archive(out: Path | IO[bytes], found: dict[str, list[Held]]) -> None:
    """Write one JSON file for each holder, and files as they are."""
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, held in found.items():
            facts: list[dict[str, Any]] = [{"kind": one.kind, "id": one.id, "data": one.data} for one in held]
            archive.writestr(f"{name}.json", msgspec.json.format(msgspec.json.encode(facts), indent=INDENT))
            for one in held:
                if one.content is not None:
                    archive.writestr(f"{name}/{one.id}", one.content)
