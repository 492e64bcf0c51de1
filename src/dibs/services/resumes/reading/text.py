"""Plain text: which bytes are which letters, and where the lines stand."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE

from dibs.services.resumes.document import Document, Flag, Kind
from dibs.services.resumes.flags import Refusal, Warned, flag, refuse
from dibs.services.resumes.reading.limits import Limits
from dibs.services.resumes.reading.sheet import Run, Sheet

MARKS = {
    BOM_UTF8: "utf-8-sig",
    BOM_UTF32_LE: "utf-32",
    BOM_UTF32_BE: "utf-32",
    BOM_UTF16_LE: "utf-16",
    BOM_UTF16_BE: "utf-16",
}
LETTER_WIDTH = 5.0
WIDE_GAP = re.compile(r"\t+| {3,}")
SAMPLE = 4_000
BINARY_SHARE = 0.02
WIDE_SHARE = 0.6


def read_text(data: bytes, limits: Limits) -> Document:
    """Read plain text, whatever its encoding; lines that would be left out as too much text are not set at all."""
    text, flags = decode(data)
    sheet = Sheet()
    area, gap, left = sheet.whole, 0.0, limits.max_characters
    for line in text.expandtabs(4).splitlines():
        if not line.strip():
            gap += 12.0
            continue
        # With a space behind each letter it is still more than may be read.
        sheet.write(area, _runs(line.rstrip()[: 2 * limits.max_characters + 2]), gap=gap)
        gap, left = 0.0, left - len(line.replace(" ", ""))
        if left < 0:
            break
    pages = sheet.pages()
    return Document(kind=Kind.TEXT, pages=pages, blocks=tuple(sheet.blocks), flags=flags, page_count=len(pages))


def decode(data: bytes) -> tuple[str, tuple[Flag, ...]]:
    """Find the encoding: a mark at the front, UTF-8, UTF-16 by its zeros, else the one of western Windows, flagged."""
    encoding = next((name for mark, name in MARKS.items() if data.startswith(mark)), None) or _guess_wide(data)
    try:
        return data.decode(encoding or "utf-8"), ()
    except UnicodeDecodeError:
        pass
    if is_binary(data):
        raise refuse(Refusal.UNSUPPORTED, what="A file of this kind")
    return data.decode("cp1252", "replace"), (flag(Warned.ENCODING_GUESSED, encoding="Windows-1252"),)


def _guess_wide(data: bytes) -> str | None:
    """Tell UTF-16 by its zeros: in one half of the bytes. A program has them in both."""
    sample = data[:SAMPLE]
    half = max(len(sample) // 2, 1)
    first, second = sample[::2].count(0) / half, sample[1::2].count(0) / half
    if second > WIDE_SHARE and first < BINARY_SHARE:
        return "utf-16-le"
    return "utf-16-be" if first > WIDE_SHARE and second < BINARY_SHARE else None


def is_binary(data: bytes) -> bool:
    """Tell whether bytes cannot be text."""
    sample = data[:SAMPLE]
    if sample.startswith(tuple(MARKS)) or _guess_wide(data):
        return False
    odd = sum(1 for byte in sample if byte < 0x20 and byte not in b"\t\n\r\f\x1b")  # noqa: PLR2004 - control characters
    return odd > BINARY_SHARE * max(len(sample), 1)


def _runs(line: str) -> list[Run]:
    """Part a line at wide gaps, so that what was set in columns stays apart."""
    runs, start = [], 0
    for gap in [*WIDE_GAP.finditer(line), None]:
        end = gap.start() if gap else len(line)
        if line[start:end].strip():
            lead = len(line[start:end]) - len(line[start:end].lstrip())
            runs.append(Run(line[start:end].strip(), to=(start + lead) * LETTER_WIDTH if start + lead else None))
        start = gap.end() if gap else end
    return runs
