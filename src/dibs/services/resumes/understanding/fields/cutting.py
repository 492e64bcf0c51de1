"""A row of a head, cut into its parts: at wide gaps, at marks, where the looks change, and at commas that part names."""

import re
from collections.abc import Callable, Mapping, Sequence

from dibs.services.resumes.document import Word
from dibs.services.resumes.understanding.normal.places import is_town, judge_place
from dibs.services.resumes.understanding.normal.titles import judge_title
from dibs.services.resumes.understanding.sections.rows import Piece, Row

Judge = Callable[[str], float]
_STRONG = re.compile(
    r"\s+[|•·●◦∙▪‖¦]\s+|\s+[–—―]\s+|\s+-\s+|\t|\s+@\s+|\s*\|\s*|(?<=\w)\s+::?\s+|\s*[;]\s+|\.\s+(?=(?:Thesis|Dissertation|Supervisor|Advisor|Minor|Abschlussarbeit|Mémoire|Tesis)\b)"
)
_AT = re.compile(r"\s+(?:at|bei|chez|beim|@)\s+(?:(?:the|der|dem|la|le)\s+(?=[A-ZÀ-Ý]))?|\s+(?:en|à)\s+(?=[A-ZÀ-Ý])")
_LEADING = re.compile(
    r"^(?:at|bei|chez|beim|by|von|@|in|–|with|I (?:am|was)(?: an?| the)?|[Ww]ork(?:ed|ing) as(?: an?| the)?)\s+(?=[A-ZÀ-Ý\d])"
)
_ICON = re.compile(r"[\u2190-\u2bff\ue000-\uf8ff\U0001f300-\U0001faff]+\s+")
_STOP = re.compile(r"[a-zà-ÿ]{4,}\.$")
_CAMPUS = re.compile(r"^(?:the )?(?:state )?universit\w+ (?:of|at) [^,|]+? at [A-ZÀ-Ý][\w'’. -]+$", re.IGNORECASE)
_BESIDES = ("en", "à")
"""These may also stand before a town or a subject."""
_COMMA = re.compile(r"\s*,\s+")
_BRANCH = re.compile(
    r"(?:Department|Dept\.?|Faculty|School|College|Institute?|Chair|Division) (?:of|for) |(?:Fakultät|Lehrstuhl|Institut) für "
)
_TRIM = " ,;:|•·–—-()[]/@\u200b"
_REMARK = re.compile(
    r"\(?\b(?:\d+|one|two|three)\+?\s*(?:years?|yrs?|months?|mos?|jahre?n?|monate?n?|ans?|mois|años?|meses)\b\.?\)?(?:\s*(?:and|,|und|et|y)?\s*\d+\s*(?:months?|mos?|monate?n?|mois|meses)\b\)?)?",
    re.IGNORECASE,
)
# Words that only say what a date is.
_DATED = re.compile(
    r"(?:completed|graduated|graduation(?: date)?|expected(?: graduation)?|anticipated|class of|since|from|until|conferred|"
    r"seit|abgeschlossen|depuis|obtenue?|desde|hasta)(?: in| on)?",
    re.IGNORECASE,
)
_URL = re.compile(r"(?:https?://|www\.)\S+|\b[\w-]+\.(?:com|org|net|io|dev|example)\b(?:/\S*)?", re.IGNORECASE)
_STROKE = re.compile(r"\s+/\s+")
_PAIR = 2
_SPACE = 0.9
_SURE = 0.5


def split_row(row: Row) -> list[Piece]:
    """Cut a row at wide gaps and at marks; dates and their lengths are left out."""
    blocked = [(span.begin, span.end) for span in row.spans]
    blocked += [match.span() for pattern in (_REMARK, _URL) for match in pattern.finditer(row.text)]
    found, at = [], 0
    for part in row.parts:
        begin = row.text.find(part.text, at)
        at = begin + len(part.text)
        found += _cut_out(row, begin, at, blocked)
    spaced = [part for piece in found for part in _cut_at_space(piece)]
    styled = [part for piece in spaced for part in _cut_at_style(piece)]
    pieces = [_trim(cut) for piece in styled for cut in _cut_at(piece, _STRONG)]
    return [
        piece for piece in pieces if any(char.isalnum() for char in piece.text) and not _DATED.fullmatch(piece.text)
    ]


def _trim(piece: Piece) -> Piece:
    """Leave out marks around a piece, but not the bracket that closes one inside it."""
    text = piece.text
    if match := _LEADING.match(text) or _ICON.match(text):
        return _trim(piece.cut(match.end(), len(text)))
    if _STOP.search(text) or (text.endswith(".") and is_town(text[:-1].lstrip(_TRIM))):
        return _trim(piece.cut(0, len(text) - 1))
    begin = len(text) - len(text.lstrip(_TRIM))
    end = len(text.rstrip(_TRIM))
    if end < len(text) and text[end] == ")" and "(" in text[begin:end]:
        end += 1
    if text[:1] == "(" and ")" in text[begin:end]:
        begin = 0
    return piece.cut(begin, end)


def _cut_out(row: Row, begin: int, end: int, blocked: Sequence[tuple[int, int]]) -> list[Piece]:
    pieces, at = [], begin
    for first, last in sorted(blocked):
        if begin <= first < end:
            pieces.append(row.cut(at, first))
            at = max(last, at)
    return [*pieces, row.cut(at, end)]


def _cut_at(piece: Piece, pattern: re.Pattern[str]) -> list[Piece]:
    pieces, at = [], 0
    for match in pattern.finditer(piece.text):
        if piece.text.count("(", 0, match.start()) > piece.text.count(")", 0, match.start()):
            continue
        pieces.append(piece.cut(at, match.start()))
        at = match.end()
    return [*pieces, piece.cut(at, len(piece.text))]


def _cut_at_space(piece: Piece) -> list[Piece]:
    """Cut where more than a space parts two words, though less than a gap."""
    groups: list[list[Word]] = []
    for word in piece.words:
        last = groups[-1][-1] if groups else None
        if last is None or word.box.left - last.box.right > _SPACE * max(last.size, word.size):
            groups.append([])
        groups[-1].append(word)
    if len(groups) == 1 or piece.text != " ".join(word.text for word in piece.words):
        return [piece]
    return [Piece(" ".join(word.text for word in words), words) for words in groups]


def _cut_at_style(piece: Piece) -> list[Piece]:
    """Cut where the looks change: a bold title, an employer in italics behind it."""
    groups: list[list[Word]] = []
    for word in piece.words:
        if not groups or _looks(groups[-1][-1]) != _looks(word):
            groups.append([])
        groups[-1].append(word)
    if len(groups) == 1 or piece.text != " ".join(word.text for word in piece.words):
        return [piece]
    return [Piece(" ".join(word.text for word in words), words) for words in groups]


def _looks(word: Word) -> tuple[bool, bool, int]:
    return word.bold, word.italic, word.color


def part_at_stroke(lines: list[list[Piece]], judges: Mapping[str, Judge]) -> list[list[Piece]]:
    """Cut a name at a stroke, where its sides are what nothing else in the entry is: "Chef / Grand Hotel"."""
    names = [piece for cuts in lines for piece in cuts if judge_place(piece.text) < _SURE]
    return [[cut for piece in cuts for cut in _cut_at_stroke(piece, names, judges)] for cuts in lines]


def _cut_at_stroke(piece: Piece, names: Sequence[Piece], judges: Mapping[str, Judge]) -> list[Piece]:
    sides = [_trim(cut) for cut in _cut_at(piece, _STROKE)]
    if len(sides) != _PAIR or not any(piece is name for name in names):
        return [piece]
    told = [_tell(side.text, judges) for side in sides]
    labels = {label for label, _ in told}
    others = {_tell(name.text, judges)[0] for name in names if name is not piece}
    scores = [score for _, score in told]
    parted = len(labels) == _PAIR and not labels & others and min(scores) > 0 and max(scores) >= _SURE
    return sides if parted else [piece]


def _tell(text: str, judges: Mapping[str, Judge]) -> tuple[str, float]:
    """Say what a text looks like most, and how much."""
    label = max(judges, key=lambda one: judges[one](text))
    return label, judges[label](text)


def split_comma(piece: Piece, judges: Mapping[str, Judge]) -> list[Piece]:
    """Cut at commas and at "at" where both sides are then told better than the whole was."""
    if judge_place(piece.text) >= _SURE or _CAMPUS.match(piece.text):
        return [piece]
    is_name = _is_named_with(piece.text) or _CAMPUS.match(piece.text.partition(",")[0])
    is_subject = "degree" in judges and _is_besides(piece.text)
    for pattern in (_COMMA,) if is_name or is_subject else (_AT, _COMMA):
        cuts = _cut_at(piece, pattern)
        if len(cuts) > 1:
            gathered = [_trim(cut) for cut in _gather(cuts, judges)]
            return [*gathered[:-1], *_part_town(gathered[-1])] if pattern is _AT else gathered
    return [piece]


def _is_besides(text: str) -> bool:
    """Tell whether "en" stands before a subject: "Master en Informatique, Université de Lyon"."""
    match = _AT.search(text)
    return match is not None and match[0].strip() in _BESIDES and "," in text[match.end() :]


def _is_named_with(text: str) -> bool:
    """Tell whether "en" or "à" belongs to a name, "Santé à Domicile": no title stands before it, and no town behind it."""
    match = _AT.search(text)
    if match is None or match[0].strip() not in _BESIDES:
        return False
    return judge_title(text[: match.start()]) <= 0 and judge_place(text[match.end() :].partition(",")[0]) < _SURE


def is_behind_at(piece: Piece, whole: Piece) -> bool:
    """Tell whether a part of a line is what stands behind "at" in it: where somebody worked, whatever it is called."""
    match = _AT.search(whole.text)
    if match is not None and match[0].strip() in _BESIDES:
        return False
    return match is not None and bool(piece.text) and whole.text.find(piece.text, match.end()) == match.end()


def _part_town(piece: Piece) -> list[Piece]:
    """Part an employer behind "at" from its town: "Barclays, London"."""
    at = piece.text.find(",")
    town = piece.cut(at + 1, len(piece.text))
    return [piece.cut(0, at), town] if at > 0 and judge_place(town.text) >= _SURE else [piece]


def _gather(cuts: list[Piece], judges: Mapping[str, Judge]) -> list[Piece]:
    """Put places back together, and legal forms back to their names."""
    found: list[Piece] = []
    for cut in cuts:
        if found and (
            _is_place_with(found[-1], cut)
            or _is_ending(cut.text)
            or _is_branch(found[-1], cut)
            or _tells_nothing(cut, found[-1], judges)
        ):
            last = found.pop()
            joiner = ", "
            found.append(Piece(last.text + joiner + cut.text, (*last.words, *cut.words)))
        else:
            found.append(cut)
    return found


def _is_place_with(last: Piece, cut: Piece) -> bool:
    return (judge_place(f"{last.text}, {cut.text}") >= _SURE and judge_place(cut.text) >= _SURE) or (
        judge_place(f"{last.text}, {cut.text}") == 1 and len(cut.text) <= 3  # noqa: PLR2004 - a state
    )


def _is_ending(text: str) -> bool:
    return bool(re.fullmatch(r"(?:inc|llc|ltd|llp|corp|gmbh|s\.?a|s\.?l|plc|co|jr|sr)\.?", text.strip(), re.IGNORECASE))


def _is_branch(last: Piece, cut: Piece) -> bool:
    """A department is named behind the house that it belongs to."""
    return bool(_BRANCH.match(cut.text)) and judge_place(last.text) < _SURE


def _tells_nothing(cut: Piece, last: Piece, judges: Mapping[str, Judge]) -> bool:
    """Neither side is anything by itself: the comma belongs to the name."""
    sure = [any(judge(piece.text) >= _SURE for judge in judges.values()) for piece in (last, cut)]
    return not any(sure) and judge_place(cut.text) < _SURE and cut.text[:1].islower()
