"""What a child does with its document."""

import socket
from collections.abc import Callable
from typing import Any

import msgspec

from dibs.errors import UnreadableDocument
from dibs.services.resumes.flags import Refusal, refuse
from dibs.services.resumes.reading.reader import read_document
from dibs.services.resumes.reading.scan import Engine, find_recogniser
from dibs.services.resumes.reading.scan.gathering import pending_pages, read_picture
from dibs.services.resumes.sandbox.probes import PROBES
from dibs.services.resumes.sandbox.requests import Answer, Order, Parse, Read, Request, Scan, Try, Understand
from dibs.services.resumes.sandbox.wire import ANSWER, LARGEST_ANSWER, pack_frame

MEBIBYTE = 1024 * 1024


def answer(order: Order, data: bytes) -> Answer:
    """Do what is asked. Whatever goes wrong becomes an answer."""
    try:
        return perform(order.request, data)
    except UnreadableDocument as refusal:
        return Answer(refusal=refusal.code, message=str(refusal))
    except MemoryError:
        limit = f"{order.allowance.memory_bytes // MEBIBYTE:,} MiB"
        return _refused(refuse(Refusal.OUT_OF_MEMORY, limit=limit))
    except RecursionError:
        return _refused(refuse(Refusal.CORRUPTED, what="it is nested without end"))
    except Exception as fault:  # noqa: BLE001 - a document can make a library fail in any way
        return _refused(refuse(Refusal.CRASHED, what=type(fault).__name__))


def _refused(refusal: UnreadableDocument) -> Answer:
    return Answer(refusal=refusal.code, message=str(refusal))


def perform(request: Request, data: bytes) -> Answer:
    """Do one thing."""
    return _VERBS[type(request)](request, data)


def _read(request: Read, data: bytes) -> Answer:
    document = read_document(data, name=request.name, declared=request.declared, limits=request.limits, ocr=request.ocr)
    return Answer(document=document)


def _parse(request: Parse, data: bytes) -> Answer:
    document = read_document(
        data, name=request.name, declared=request.declared, limits=request.limits, ocr=Engine.LATER
    )
    profile = _profile_of(document, request.today)
    return Answer(profile=profile, document=document if request.keeps or pending_pages(document) else None)


def _scan(request: Scan, data: bytes) -> Answer:
    recogniser = find_recogniser(request.ocr)
    if recogniser is None:
        return Answer()
    return Answer(page=read_picture(data, request.kind, request.number, recogniser, request.limits))


def _understand(request: Understand, _data: bytes) -> Answer:
    return Answer(profile=_profile_of(request.document, request.today))


def _profile_of(document: Any, today: Any) -> bytes:
    from dibs.services.resumes.understanding import understand  # noqa: PLC0415 - its tables are large

    return msgspec.json.encode(understand(document, today=today).to_json())


def _try(request: Try, _data: bytes) -> Answer:
    return Answer(done=PROBES[request.what]())


_VERBS: dict[type, Callable[[Any, bytes], Answer]] = {
    Read: _read,
    Parse: _parse,
    Scan: _scan,
    Understand: _understand,
    Try: _try,
}


def send(connection: socket.socket, found: Answer) -> None:
    """Send an answer, unless it is larger than anything that makes sense."""
    body = msgspec.msgpack.encode(found)
    if len(body) > LARGEST_ANSWER // 2:
        body = msgspec.msgpack.encode(_refused(refuse(Refusal.UNSAFE, what="more text than a person could read")))
    connection.sendall(pack_frame(ANSWER, body))
