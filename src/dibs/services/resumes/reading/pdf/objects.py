"""What is drawn on a PDF page besides text, in the order of drawing."""

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from dibs.services.resumes.reading.pdf.frame import Frame
from dibs.services.resumes.reading.pdf.inks import Inks

DEEPEST = 8
MOST_OBJECTS = 50_000
OPAQUE = 250
FAR = 1e6
MOST_POINTS = 64
OC_LENGTH = 6


class Drawn(NamedTuple):
    """An area that was drawn. `fill` is None where its colour is not one: an image, a pattern, a mere outline."""

    left: float
    top: float
    right: float
    bottom: float
    fill: int | None
    covers: bool
    """Nothing below it shows through."""
    order: int


class DrawnText(NamedTuple):
    """A text object: its place in the order of drawing, and what might hide it."""

    handle: Any
    order: int
    nested: bool
    clip: tuple[float, float, float, float] | None
    optional: bool
    """It belongs to a layer that can be switched off."""
    odd: bool
    """Its colour does not tell what is seen of it: it is mixed with what is below, filled with a pattern, or its font
    draws no outlines."""


class Drawing(NamedTuple):
    areas: list[Drawn]
    images: list[Drawn]
    texts: dict[int, DrawnText]
    """By address."""


Matrix = tuple[float, float, float, float, float, float]
Clip = tuple[float, float, float, float]
IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)


def read_drawing(page: Any, frame: Frame) -> Drawing:
    """Walk over the objects of a page and of the forms in it."""
    drawing, inks = Drawing([], [], {}), Inks()
    for order, (kind, drawn, matrix, around) in enumerate(_walk(page, frame)):
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            clip = (read_clip(drawn, frame) if matrix == IDENTITY else None) or around
            text = DrawnText(drawn, order, matrix is not IDENTITY, clip, _is_optional(drawn), inks.is_odd(drawn))
            drawing.texts[ctypes.addressof(drawn.contents)] = text
        elif kind == pdfium.FPDF_PAGEOBJ_PATH:
            area = _read_path(drawn, frame, matrix, order)
            if area is not None:
                drawing.areas.append(area)
        elif kind in {pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING}:
            covers = not pdfium.FPDFPageObj_HasTransparency(drawn)
            drawing.images.append(Drawn(*_bounds(drawn, frame, matrix), None, covers, order))
    return drawing


def _walk(page: Any, frame: Frame) -> Iterator[tuple[int, Any, Matrix, Clip | None]]:
    """Give all objects, with the place of the form that they are in, and what that is cut to."""
    left = MOST_OBJECTS
    first = [pdfium.FPDFPage_GetObject(page, n) for n in range(pdfium.FPDFPage_CountObjects(page))]
    stack: list[tuple[Iterator[Any], Matrix, Clip | None]] = [(iter(first), IDENTITY, None)]
    while stack and left > 0:
        objects, matrix, around = stack[-1]
        drawn = next(objects, None)
        if drawn is None:
            stack.pop()
            continue
        left -= 1
        kind = pdfium.FPDFPageObj_GetType(drawn)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and len(stack) <= DEEPEST:
            inner = [pdfium.FPDFFormObj_GetObject(drawn, n) for n in range(pdfium.FPDFFormObj_CountObjects(drawn))]
            cut = (read_clip(drawn, frame) if matrix == IDENTITY else None) or around
            stack.append((iter(inner), _multiply(_own_matrix(drawn), matrix), cut))
        else:
            yield kind, drawn, matrix, around


def _own_matrix(drawn: Any) -> Matrix:
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(drawn, matrix):
        return IDENTITY
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _multiply(one: Matrix, other: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    p, q, r, s, t, u = other
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _bounds(drawn: Any, frame: Frame, matrix: Matrix) -> tuple[float, float, float, float]:
    left, bottom, right, top = (ctypes.c_float(0) for _ in range(4))
    pdfium.FPDFPageObj_GetBounds(drawn, left, bottom, right, top)
    a, b, c, d, e, f = matrix
    corners = [
        (a * x + c * y + e, b * x + d * y + f) for x in (left.value, right.value) for y in (bottom.value, top.value)
    ]
    across, upwards = [x for x, _ in corners], [y for _, y in corners]
    return frame.place(min(across), min(upwards), max(across), max(upwards))


def _read_path(drawn: Any, frame: Frame, matrix: Matrix, order: int) -> Drawn | None:
    mode, stroked = ctypes.c_int(0), ctypes.c_int(0)
    pdfium.FPDFPath_GetDrawMode(drawn, mode, stroked)
    if not mode.value and not stroked.value:
        return None
    getter = pdfium.FPDFPageObj_GetFillColor if mode.value else pdfium.FPDFPageObj_GetStrokeColor
    color, alpha = _read_color(drawn, getter)
    if alpha == 0:
        return None
    bounds = _bounds(drawn, frame, matrix)
    solid = bool(mode.value) or _is_line(drawn, bounds)
    covers = solid and alpha >= OPAQUE and not pdfium.FPDFPageObj_HasTransparency(drawn)
    return Drawn(*bounds, color, covers, order)


def _is_line(drawn: Any, bounds: tuple[float, float, float, float]) -> bool:
    """Tell whether an outline is one straight line, whose ink is all of its box."""
    width = ctypes.c_float(0)
    pdfium.FPDFPageObj_GetStrokeWidth(drawn, width)
    left, top, right, bottom = bounds
    return min(right - left, bottom - top) <= 2.5 * width.value + 1


def read_clip(drawn: Any, frame: Frame) -> tuple[float, float, float, float] | None:
    """Give the box that an object is cut to; None where it is whole."""
    clip = pdfium.FPDFPageObj_GetClipPath(drawn)
    count = pdfium.FPDFClipPath_CountPaths(clip) if clip else 0
    left, bottom, right, top = -FAR, -FAR, FAR, FAR
    across, up = ctypes.c_float(0), ctypes.c_float(0)
    for path in range(min(count, DEEPEST)):
        points = []
        for index in range(min(pdfium.FPDFClipPath_CountPathSegments(clip, path), MOST_POINTS)):
            segment = pdfium.FPDFClipPath_GetPathSegment(clip, path, index)
            if segment and pdfium.FPDFPathSegment_GetPoint(segment, across, up):
                points.append((across.value, up.value))
        if points:
            left, right = max(left, min(x for x, _ in points)), min(right, max(x for x, _ in points))
            bottom, top = max(bottom, min(y for _, y in points)), min(top, max(y for _, y in points))
    return frame.place(left, bottom, right, top) if left > -FAR else None


def _is_optional(drawn: Any) -> bool:
    buffer, length = ctypes.create_string_buffer(8), ctypes.c_ulong(0)
    for index in range(max(pdfium.FPDFPageObj_CountMarks(drawn), 0)):
        mark = pdfium.FPDFPageObj_GetMark(drawn, index)
        ushorts = ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR))
        if mark and pdfium.FPDFPageObjMark_GetName(mark, ushorts, len(buffer), length) and length.value == OC_LENGTH:
            return buffer.raw[:OC_LENGTH].decode("utf-16-le", "replace") == "OC\0"
    return False


def _read_color(drawn: Any, getter: Any) -> tuple[int | None, int]:
    red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
    if not getter(drawn, red, green, blue, alpha):
        return None, 255
    return red.value << 16 | green.value << 8 | blue.value, alpha.value
