"""Pages that are pictures: which they are, and how their words come into the document."""

from collections.abc import Iterable

from msgspec.structs import replace

from dibs.services.resumes.document import Document, Flag, Hidden, Kind, Page
from dibs.services.resumes.flags import Warned, flag
from dibs.services.resumes.reading.limits import Limits
from dibs.services.resumes.reading.pdf.pictures import render_page
from dibs.services.resumes.reading.scan import Engine, Recogniser, find_recogniser, read_scan
from dibs.services.resumes.reading.scan.pages import SURE, confidence_of
from dibs.services.resumes.reading.scan.pictures import count_frames, open_frame
from dibs.services.resumes.reading.scan.sizes import even_sizes
from dibs.services.resumes.reading.screening.seeing import Reason
from dibs.services.resumes.reading.sheet import HEIGHT, WIDTH

MEANT = 0.6
"""So much of an invisible text is also seen in the picture: then it is the text layer of a scan."""


def list_frames(data: bytes, limits: Limits) -> Document:
    """Give the pages of a picture file, still without words."""
    count = count_frames(data, limits)
    pages = tuple(
        Page(number, WIDTH, HEIGHT, (), scanned=True) for number in range(1, min(count, limits.max_pages) + 1)
    )
    flags = (flag(Warned.TRUNCATED, count=count, limit=limits.max_pages),) if count > limits.max_pages else ()
    return Document(kind=Kind.IMAGE, pages=pages, page_count=count, flags=flags)


def pending_pages(document: Document) -> list[int]:
    """Give the numbers of the pages whose pictures are still to be read."""
    return [page.number for page in document.pages if page.scanned and not page.words]


def read_scans(document: Document, data: bytes, limits: Limits, ocr: Engine) -> Document:
    """Read the pictures among the pages, or say why not."""
    pending = pending_pages(document)
    if not pending:
        return document
    if ocr is Engine.LATER:
        return replace(document, flags=(*document.flags, flag(Warned.OCR_PENDING)))
    recogniser = find_recogniser(ocr)
    if recogniser is None:
        return replace(document, flags=(*document.flags, flag(Warned.OCR_UNAVAILABLE)))
    return put_in(document, [read_picture(data, document.kind, number, recogniser, limits) for number in pending])


def read_picture(data: bytes, kind: Kind, number: int, recogniser: Recogniser, limits: Limits) -> Page:
    """Read the words of one page that is a picture."""
    if kind is Kind.IMAGE:
        return read_scan(open_frame(data, number, limits), recogniser, number=number)
    picture, width = render_page(data, number)
    return read_scan(picture, recogniser, number=number, width=width)


def put_in(document: Document, read: Iterable[Page]) -> Document:
    """Put pages that were read into their document, with what there is to say of them."""
    found = {page.number: page for page in even_sizes(read)}
    pages = tuple(_merge(page, found.get(page.number)) for page in document.pages)
    kept = tuple(one for one in document.flags if one.code != Warned.OCR_PENDING.value)
    hidden = tuple(hidden for hidden in document.hidden if not _is_text_layer(hidden, found))
    return replace(document, pages=pages, hidden=hidden, flags=(*kept, *_flags(list(found.values()))))


def _merge(page: Page, read: Page | None) -> Page:
    return page if read is None else replace(read, links=page.links)


def _flags(read: list[Page]) -> list[Flag]:
    flags = [flag(Warned.SCANNED)]
    confidence = confidence_of(read)
    if confidence < SURE:
        flags.append(flag(Warned.OCR_ILLEGIBLE, percent=round(confidence * 100)))
    return flags


def _is_text_layer(hidden: Hidden, read: dict[int, Page]) -> bool:
    """Tell whether invisible text only repeats what the picture shows: scanners add it for searching."""
    page = read.get(hidden.box.page) if hidden.box else None
    if page is None or hidden.reason != Reason.INVISIBLE.value:
        return False
    seen = {word.text.strip(".,;:()").lower() for word in page.words}
    words = [word.strip(".,;:()").lower() for word in hidden.text.split()]
    return sum(word in seen for word in words) >= MEANT * len(words)
