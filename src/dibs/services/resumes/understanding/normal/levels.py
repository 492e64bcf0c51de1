"""How well something is known: in words, in stars, in numbers."""

import re

from dibs.services.resumes.understanding.normal.speech import find_fluency

LEVEL = re.compile(
    r"^\(?(?:expert|advanced|intermediate|beginner|basic|basics|proficient|fluent|master|novice|competent|familiar|experienced|skilled|senior|junior|working knowledge|native|"
    r"experte|fortgeschritten|sehr gut|gut|grundkenntnisse|anfänger|expertin|"
    r"avancé|intermédiaire|débutant|confirmé|courant|notions|maîtrise|bon|"
    r"experto|avanzado|intermedio|básico|principiante|alto|medio)\)?$",
    re.IGNORECASE,
)  # fmt: skip
_DRAWN = re.compile(r"^[★☆✩✭✮⭐●○◉◎⚫⚪■□◼◻▪▫▮▯◆◇•◦·\s]{2,}$")
_COUNTED = re.compile(r"^\d{1,3}\s*%$|^\d{1,2}\s*/\s*(?:5|6|10)$")


def is_drawn(text: str) -> bool:
    """Tell whether a text is nothing but stars or dots, some of them filled."""
    return bool(_DRAWN.match(text))


def is_rating(text: str) -> bool:
    """Tell whether a text says how well something is known, and nothing else."""
    said = text.strip("() ")
    spoken = find_fluency(said)
    return bool(_DRAWN.match(text) or _COUNTED.match(said) or LEVEL.match(said)) or spoken == (0, len(said))
