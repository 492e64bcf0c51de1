"""One file out of a form, as it comes. Whatever else is in the form is passed over."""

from typing import IO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from dibs.errors import RequestRefused

FORM = "multipart/form-data"
FIELD = "file"
LARGEST_HEADER = 8 * 1024
LONGEST_BOUNDARY = 70


class FormFile:
    """Feed it the body part by part; then `check` that the file was there, and whole."""

    def __init__(self, content_type: str, file: IO[bytes]) -> None:
        self.size = 0
        self.name = ""
        self.declared = ""
        self._file = file
        self._count = 0
        self._is_file = False
        self._is_whole = False
        self._head: dict[bytes, bytes] = {}
        self._label, self._value = bytearray(), bytearray()
        self._parser = self._make_parser(content_type)

    def _make_parser(self, content_type: str) -> MultipartParser:
        _, options = parse_options_header(content_type)
        boundary = options.get(b"boundary", b"")
        if not 0 < len(boundary) <= LONGEST_BOUNDARY:
            raise _refuse("it names no boundary")
        return MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": lambda data, start, end: self._add(self._label, data[start:end]),
                "on_header_value": lambda data, start, end: self._add(self._value, data[start:end]),
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_head,
                "on_part_data": lambda data, start, end: self._take(data[start:end]),
                "on_end": self._end,
            },
        )

    def feed(self, part: bytes) -> None:
        """Take the next part of the body."""
        try:
            self._parser.write(part)
        except (FormParserError, UnicodeError) as cause:
            raise _refuse(str(cause)) from cause

    def check(self) -> None:
        """Refuse a form that was cut off, or has no file."""
        if not self._is_whole:
            raise _refuse("it was cut off")
        if self._count != 1:
            raise _refuse(f"it has no file in the field {FIELD!r}")

    def _begin(self) -> None:
        self._head, self._is_file = {}, False

    def _add(self, text: bytearray, part: bytes) -> None:
        text += part
        if len(text) > LARGEST_HEADER or len(self._head) > LARGEST_HEADER // 100:
            raise _refuse("the head of a part is too long")

    def _end_header(self) -> None:
        self._head[bytes(self._label).lower()] = bytes(self._value)
        self._label.clear()
        self._value.clear()

    def _end_head(self) -> None:
        _, options = parse_options_header(self._head.get(b"content-disposition"))
        self._is_file = options.get(b"name") == FIELD.encode() and b"filename" in options
        if not self._is_file:
            return
        self._count += 1
        if self._count > 1:
            raise _refuse("it has more than one file")
        self.name = options[b"filename"].decode(errors="replace")
        self.declared = self._head.get(b"content-type", b"").decode("latin-1")

    def _take(self, part: bytes) -> None:
        if self._is_file:
            self.size += len(part)
            self._file.write(part)

    def _end(self) -> None:
        self._is_whole = True


def _refuse(why: str) -> RequestRefused:
    message = f"the form cannot be read: {why}. Send {FORM} with one file in the field {FIELD!r}; nothing was kept."
    return RequestRefused(message, code="body_not_form", field=FIELD)
