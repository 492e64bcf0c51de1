"""Frames between the client, the warm parent and its children."""

import socket
import struct
from typing import NamedTuple

HEAD = struct.Struct("!II")
FRAME = struct.Struct("!cI")
ANSWER, ENDING = b"A", b"E"
READY = b"R"
CHUNK = 1 << 20
LARGEST_ANSWER = 64 << 20


class Frame(NamedTuple):
    kind: bytes
    body: bytes


def pack_order(order: bytes, data: bytes) -> list[bytes]:
    """Give an order and its document as they go over the wire."""
    return [HEAD.pack(len(order), len(data)), order, data]


def missing(buffer: bytearray) -> int:
    """Give how many bytes of an order have not come yet; at least one until its head is whole."""
    if len(buffer) < HEAD.size:
        return HEAD.size - len(buffer)
    order, data = HEAD.unpack_from(buffer)
    return HEAD.size + int(order) + int(data) - len(buffer)


def unpack_order(buffer: bytearray) -> tuple[bytes, bytes]:
    """Part an order from its document."""
    order, data = HEAD.unpack_from(buffer)
    view = memoryview(buffer)
    return bytes(view[HEAD.size : HEAD.size + order]), bytes(view[HEAD.size + order : HEAD.size + order + data])


def pack_frame(kind: bytes, body: bytes) -> bytes:
    """Give an answer or an ending as it goes over the wire."""
    return FRAME.pack(kind, len(body)) + body


def receive_frames(connection: socket.socket) -> list[Frame]:
    """Read until the other side is done. A part of a frame is no frame."""
    buffer = bytearray()
    while part := connection.recv(CHUNK):
        buffer += part
        if len(buffer) > LARGEST_ANSWER:
            break
    frames: list[Frame] = []
    start = 0
    while start + FRAME.size <= len(buffer):
        kind, length = FRAME.unpack_from(buffer, start)
        end = start + FRAME.size + length
        if end > len(buffer):
            break
        frames.append(Frame(kind, bytes(buffer[start + FRAME.size : end])))
        start = end
    return frames
