"""What a text recogniser does."""

from typing import Any, NamedTuple, Protocol


class SeenWord(NamedTuple):
    """A word in a picture, in pixels. `size` is that of its font."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    confidence: float
    bold: bool = False


class Seen(NamedTuple):
    """The words of a picture in lines, and by how many degrees those lines go down to the right."""

    words: list[SeenWord]
    slope: float = 0.0

    @property
    def confidence(self) -> float:
        """The mean confidence, by letters; 0 where nothing was seen."""
        letters = sum(len(word.text) for word in self.words)
        return sum(word.confidence * len(word.text) for word in self.words) / letters if letters else 0.0


class Recogniser(Protocol):
    """Sees words in a picture."""

    name: str
    needs_level_lines: bool
    """It reads lines that go up or down much worse."""

    def see(self, picture: Any) -> Seen:
        """Find the words of a picture (of the Pillow library, in RGB)."""
