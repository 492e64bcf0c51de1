"""Marks in front of list items."""

_GLYPHS = frozenset("•◦▪▫●○■□‣⁃∙·➢➣➤►▶▸▹▻✓✔✦✧❖◆◇»›→⮚➔⇒∗⋄★☆◾◽⚫⚪◉⦿")
_DASHES = frozenset("-–—*+o§>")
_PRIVATE = range(0xE000, 0xF900)


def is_mark(text: str) -> bool:
    """Tell whether a word is nothing but a list mark. A dash counts: ask only at the front of a line."""
    return len(text) == 1 and (text in _GLYPHS or text in _DASHES or ord(text) in _PRIVATE)


def is_sure_mark(text: str) -> bool:
    return len(text) == 1 and (text in _GLYPHS or ord(text) in _PRIVATE)


def has_mark(text: str) -> bool:
    """Tell whether a word begins with a mark that was set without white behind it."""
    return len(text) > 1 and text[0] in _GLYPHS
