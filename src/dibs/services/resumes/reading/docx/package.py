"""The ZIP package of a DOCX, opened with suspicion.

The directory of a ZIP can lie about sizes, so bytes are counted while they are unpacked, and only the members that are
needed are unpacked at all.
"""

import stat
import zipfile
import zlib
from io import BytesIO
from posixpath import dirname, join, normpath
from typing import IO

from lxml import etree

from dibs.services.resumes.flags import Refusal, refuse
from dibs.services.resumes.reading.limits import Limits

STRICT = b"http://purl.oclc.org/ooxml/wordprocessingml/main"
LOOSE = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
CHUNK = 64 * 1024
ENCRYPTED_BIT = 0x1
FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


class Package:
    """Members by name. Everything unpacked counts towards one limit."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        self._left = limits.max_unpacked_bytes
        self._limits = limits
        self._zip = open_zip(data)
        self.names = frozenset(check_members(self._zip, limits))

    def read(self, name: str) -> bytes:
        """Unpack one member."""
        try:
            with self._zip.open(name) as member:
                return self._unpack(member)
        except FAULTS as fault:
            raise refuse(Refusal.CORRUPTED, what=f"its part {name} cannot be unpacked") from fault

    def find_tree(self, name: str) -> etree._Element | None:
        """Parse one member; None when there is no such member."""
        return parse_xml(self.read(name), name) if name in self.names else None

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Give what a part refers to: kind and target by id. Targets inside the package are made whole."""
        folder = dirname(part)
        tree = self.find_tree(join(folder, "_rels", part[len(folder) :].strip("/") + ".rels"))
        found: dict[str, tuple[str, str]] = {}
        for node in tree.iterchildren("{*}Relationship") if tree is not None else ():
            kind, target = node.get("Type", "").rpartition("/")[2], node.get("Target", "")
            if node.get("TargetMode") != "External":
                target = normpath(join(folder, target)).lstrip("/") if not target.startswith("/") else target[1:]
            found[node.get("Id", "")] = (kind, target)
        return found

    def _unpack(self, member: IO[bytes]) -> bytes:
        parts: list[bytes] = []
        while part := member.read(CHUNK):
            self._left -= len(part)
            if self._left < 0:
                limit = f"{self._limits.max_unpacked_bytes:,} bytes"
                raise refuse(Refusal.UNPACKED_TOO_LARGE, limit=limit)
            parts.append(part)
        return b"".join(parts)


def open_zip(data: bytes) -> zipfile.ZipFile:
    """Open an archive in memory."""
    try:
        return zipfile.ZipFile(BytesIO(data))
    except FAULTS as fault:
        raise refuse(Refusal.CORRUPTED, what="it is no whole archive") from fault


def check_members(archive: zipfile.ZipFile, limits: Limits) -> list[str]:
    """Refuse archives that are no document: too many members, locked ones, links, names that lead out of the folder."""
    members = archive.infolist()
    if len(members) > limits.max_members:
        raise refuse(Refusal.UNSAFE, what=f"{len(members):,} files in one archive")
    if any(member.flag_bits & ENCRYPTED_BIT for member in members):
        raise refuse(Refusal.ENCRYPTED)
    if any(_leads_out(member.filename) for member in members):
        raise refuse(Refusal.UNSAFE, what="a file name that leads out of its folder")
    if any(stat.S_ISLNK(member.external_attr >> 16) for member in members):
        raise refuse(Refusal.UNSAFE, what="a link to another file")
    return [member.filename for member in members]


def _leads_out(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]


def parse_xml(data: bytes, name: str) -> etree._Element:
    """Parse XML that may not declare anything: no entity, no document type, no network."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data.replace(STRICT, LOOSE), parser)
    except (etree.XMLSyntaxError, ValueError) as fault:
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            raise refuse(Refusal.UNSAFE, what="a document type with entities") from fault
        raise refuse(Refusal.CORRUPTED, what=f"its part {name} is no whole XML") from fault
    if b"<!DOCTYPE" in data:
        raise refuse(Refusal.UNSAFE, what="a document type with entities")
    return root
