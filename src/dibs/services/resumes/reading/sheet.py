"""A page drawn up for formats that have none: DOCX, HTML and plain text.

A paragraph stays one line, however often it would be wrapped on paper; its words are wrapped inside the line's box, so
that the boxes are about where a person would look for them.
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from dibs.services.resumes.document import Block, Box, Line, Link, Page, Word

WIDTH, HEIGHT = 595.0, 842.0
MARGIN = 50.0
LEADING = 1.2
LETTER, BOLD_LETTER = 0.5, 0.54
BLOCK_GAP = 6.0
CLEAR = 3
# ruff: noqa: RUF001 - list marks look like dashes
BULLETS = frozenset("•◦▪▫■□●○◆◇►▸▶➤➢✓✔❖·∙‣⁃–—-*»\uf0b7\uf0a7\uf0d8\uf076\uf0fc")


class Run(Struct, frozen=True):
    """A stretch of text in one style. `to`: the pen moves there first, in points from the left edge of its column."""

    text: str
    size: float = 10.0
    bold: bool = False
    italic: bool = False
    color: int = 0
    font: str = ""
    link: str | None = None
    to: float | None = None
    ends_at: bool = False
    """The text ends at `to`, instead of starting there."""
    apart: bool = False
    """It stands clear of what is before it, as a chip or the item of a row does."""
    beside: bool = False
    """It is a thing of its own beside another, although only a space parts them."""


class Area(Struct):
    """A column that is being filled: where it stands, and how far down the pen is."""

    left: float = MARGIN
    right: float = WIDTH - MARGIN
    down: float = MARGIN
    column: int = 0


class Sheet:
    """Collects lines as they are read, and gives them as blocks and pages."""

    def __init__(self, *, width: float = WIDTH) -> None:
        self.width = width
        self.blocks: list[Block] = []
        self._open: list[Line] = []
        self._column = 0
        self._cells = False
        self.columns = 0
        self._links: list[Link] = []

    @property
    def whole(self) -> Area:
        """The first column, over the full width."""
        return Area(MARGIN, self.width - MARGIN)

    def write(
        self,
        area: Area,
        runs: Iterable[Run],
        *,
        indent: float = 0.0,
        gap: float = 0.0,
        heading: int | None = None,
        bullet: bool = False,
    ) -> None:
        """Set one line, and move the pen below it. A heading is a block of its own, and so is what stands apart."""
        line = self._set(area, runs, indent=indent, gap=gap, bullet=bullet)
        if line is None:
            area.down += gap
            return
        if heading is not None:
            self.close()
            self.blocks.append(Block((line,), column=area.column, heading=heading))
            return
        if self._cells or self._column != area.column or gap >= BLOCK_GAP:
            self.close()
        self._column = area.column
        self._open.append(line)

    def write_row(self, cells: list[tuple[Area, list[Run]]], *, column: int) -> None:
        """Set the cells of one row of a table side by side."""
        self.close()
        lines = [line for area, runs in cells if (line := self._set(area, runs)) is not None]
        if lines:
            self.blocks.append(Block(tuple(lines), column=column, cells=len(lines) > 1))

    def close(self) -> None:
        """End the block that is being written."""
        if self._open:
            self.blocks.append(Block(tuple(self._open), column=self._column))
            self._open = []

    def link(self, area: Area, target: str) -> None:
        """Keep a link that no word carries, such as that of an icon."""
        page, top = divmod(area.down, HEIGHT)
        self._links.append(Link(target, Box(int(page) + 1, area.left, top, area.left + CLEAR, top + CLEAR)))

    def new_column(self) -> int:
        """Number a column that stands beside another."""
        self.columns += 1
        return self.columns

    def pages(self) -> tuple[Page, ...]:
        """Give the words on the pages that they fell on."""
        self.close()
        words: dict[int, list[Word]] = {1: []}
        for block in self.blocks:
            for line in block.lines:
                for word in line.words:
                    words.setdefault(word.box.page, []).append(word)
        return tuple(self._page(number, words.get(number, [])) for number in range(1, max(words) + 1))

    def _page(self, number: int, words: list[Word]) -> Page:
        links = tuple(link for link in self._links if link.box.page == number)
        return Page(number, self.width, HEIGHT, tuple(words), links=links)

    def _set(
        self, area: Area, runs: Iterable[Run], *, indent: float = 0.0, gap: float = 0.0, bullet: bool = False
    ) -> Line | None:
        pen = _Pen(area, indent=indent, gap=gap)
        words = [word for run in glue(runs) for word in pen.write(run)]
        bullet = _cut_bullet(words) or bullet
        if not words:
            return None
        area.down = pen.bottom
        return Line(tuple(words), surround(words), gap=gap, bullet=bullet)


class _Pen:
    def __init__(self, area: Area, *, indent: float, gap: float) -> None:
        self.area = area
        self.left = min(area.left + indent, area.right - 20)
        self.across = self.left
        self.down = area.down + gap
        self.bottom = self.down

    def write(self, run: Run) -> Iterable[Word]:
        step = run.size * (BOLD_LETTER if run.bold else LETTER)
        if run.to is not None:
            self._move(run, step)
        elif run.apart and self.across > self.left:
            self.across += CLEAR * step
        elif run.beside and self.across > self.left:
            self.across += step
        if run.apart and self._is_short(len(run.text.strip()) * step):
            self.across, self.down = self.left, self.bottom
        for text in run.text.split():
            width = len(text) * step
            if self.across + width > self.area.right and self.across > self.left:
                self.across, self.down = self.left, self.bottom
            yield self._place(run, text, width)
            self.across += width + step

    def _is_short(self, width: float) -> bool:
        """A chip that has no room is not broken: it stands on the next line as a whole."""
        return self.area.right - self.across < width <= self.area.right - self.left

    def _move(self, run: Run, step: float) -> None:
        width = len(run.text.strip()) * step if run.ends_at else 0
        self.across = max(self.area.left + (run.to or 0) - width, self.across + 2 * step)

    def _place(self, run: Run, text: str, width: float) -> Word:
        page, top = divmod(self.down, HEIGHT)
        self.bottom = max(self.bottom, self.down + run.size * LEADING)
        left = round(self.across, 2)
        box = Box(int(page) + 1, left, round(top, 2), round(left + width, 2), round(top + run.size * LEADING, 2))
        return Word(
            text, box, size=run.size, bold=run.bold, italic=run.italic, color=run.color, font=run.font, link=run.link
        )


def glue(runs: Iterable[Run]) -> list[Run]:
    """Put words together that were cut over several runs: spelling, revisions and links cut anywhere.

    The style of the first part is kept.
    """
    glued: list[Run] = []
    for run in runs:
        last = glued[-1] if glued else None
        cut = last is not None and last.text[-1:].strip() and run.text[:1].strip()
        if last is None or not cut or run.to is not None or run.apart:
            glued.append(run)
            continue
        head = run.text.split(maxsplit=1)[0]
        glued[-1] = replace(last, text=last.text + head, link=last.link or run.link)
        if run.text[len(head) :]:
            glued.append(replace(run, text=run.text[len(head) :]))
    return glued


def _cut_bullet(words: list[Word]) -> bool:
    """Take a list mark off the front."""
    if len(words) > 1 and words[0].text in BULLETS:
        del words[0]
        return True
    return False


def surround(words: Iterable[Word]) -> Box:
    """Give the box around words; over the end of a page, it is the part on the first one."""
    found = list(words)
    page = found[0].box.page
    boxes = [word.box for word in found if word.box.page == page]
    return Box(
        page,
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )
