"""Content controls of a DOCX that nobody filled in: a template's own words, which say nothing of a person."""

import re

from lxml import etree

from dibs.services.resumes.reading.docx.names import OFF, child, text_of, value, w

# Programs that fill templates in often leave the mark of the prompt, so the words have to look like one, too.
PROMPT = re.compile(
    r"\[[^\[\]]*\]|<[^<>]*>"
    r"|(?:click|tap|enter|type|klicken|tippen|geben sie|cliquez|entrez|saisissez|haga clic|pulse|escriba)\b.*",
    re.IGNORECASE | re.DOTALL,
)


def is_prompt(control: etree._Element) -> bool:
    """Tell whether a content control still shows what should be written in it."""
    shown = child(control, "sdtPr", "showingPlcHdr") if control.tag == w("sdt") else None
    return shown is not None and value(shown) not in OFF and bool(PROMPT.fullmatch(text_of(control).strip()))
