"""What is drawn on a PDF page besides text, in the order of drawing."""

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from dibs.services.resumes.reading.pdf.frame import Frame

DEEPEST = 8
MOST_OBJECTS = 50_000
OPAQUE = 250


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


class Drawing(NamedTuple):
    areas: list[Drawn]
    images: list[Drawn]
    order: dict[int, int]
    """The place of each text object in the order of drawing, by its address."""


Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)


def read_drawing(page: Any, frame: Frame) -> Drawing:
    """Walk over the objects of a page and of the forms in it."""
    drawing = Drawing([], [], {})
    for order, (kind, drawn, matrix) in enumerate(_walk(page)):
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            drawing.order[ctypes.addressof(drawn.contents)] = order
        elif kind == pdfium.FPDF_PAGEOBJ_PATH:
            area = _read_path(drawn, frame, matrix, order)
            if area is not None:
                drawing.areas.append(area)
        elif kind in {pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING}:
            covers = kind == pdfium.FPDF_PAGEOBJ_IMAGE and not pdfium.FPDFPageObj_HasTransparency(drawn)
            drawing.images.append(Drawn(*_bounds(drawn, frame, matrix), None, covers, order))
    return drawing


def _walk(page: Any) -> Iterator[tuple[int, Any, Matrix]]:
    left = MOST_OBJECTS
    stack = [(iter([pdfium.FPDFPage_GetObject(page, n) for n in range(pdfium.FPDFPage_CountObjects(page))]), IDENTITY)]
    while stack and left > 0:
        objects, matrix = stack[-1]
        drawn = next(objects, None)
        if drawn is None:
            stack.pop()
            continue
        left -= 1
        kind = pdfium.FPDFPageObj_GetType(drawn)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and len(stack) <= DEEPEST:
            inner = [pdfium.FPDFFormObj_GetObject(drawn, n) for n in range(pdfium.FPDFFormObj_CountObjects(drawn))]
            stack.append((iter(inner), _multiply(_own_matrix(drawn), matrix)))
        else:
            yield kind, drawn, matrix


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
    covers = bool(mode.value) and alpha >= OPAQUE and not pdfium.FPDFPageObj_HasTransparency(drawn)
    return Drawn(*bounds, color, covers, order)


def _read_color(drawn: Any, getter: Any) -> tuple[int | None, int]:
    red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
    if not getter(drawn, red, green, blue, alpha):
        return None, 255
    return red.value << 16 | green.value << 8 | blue.value, alpha.value
