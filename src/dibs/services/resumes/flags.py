"""Every flag and every refusal that a resume can get: a stable code, and the sentence that goes with it.

The layers after reading put their flags here too, so that one table lists them all.
"""

from enum import StrEnum

from dibs.errors import UnreadableDocument
from dibs.services.resumes.document import Flag


class Refusal(StrEnum):
    """Why a document was refused. Nothing was read from it."""

    EMPTY = "empty"
    TOO_LARGE = "too_large"
    UNPACKED_TOO_LARGE = "unpacked_too_large"
    TOO_MANY_PIXELS = "too_many_pixels"
    UNSUPPORTED = "unsupported"
    ENCRYPTED = "encrypted"
    CORRUPTED = "corrupted"
    UNSAFE = "unsafe"
    OUT_OF_MEMORY = "out_of_memory"
    TOO_SLOW = "too_slow"
    CRASHED = "crashed"


REFUSALS = {
    Refusal.EMPTY: "The file is empty. Upload it again.",
    Refusal.TOO_LARGE: "The file is over the limit of {limit}. Upload one with smaller pictures.",
    Refusal.UNPACKED_TOO_LARGE: "The file unpacks to more than {limit}. Save it anew, and upload that.",
    Refusal.TOO_MANY_PIXELS: "The picture has more than {limit} pixels. Scan it at 200 dpi, and upload that.",
    Refusal.UNSUPPORTED: "{what} cannot be read. Upload a PDF, DOCX, HTML or text file, or a picture.",
    Refusal.ENCRYPTED: "The file is protected by a password. Remove the password, and upload it again.",
    Refusal.CORRUPTED: "The file is damaged ({what}). Open it, save it anew, and upload it again.",
    Refusal.UNSAFE: "The file holds {what}, which no resume needs. Save it anew as PDF, and upload that.",
    Refusal.OUT_OF_MEMORY: "Reading the file took more than {limit} of memory. Save it anew as PDF, and upload that.",
    Refusal.TOO_SLOW: "Reading the file took more than {limit}. Save it anew as PDF, and upload that.",
    Refusal.CRASHED: "Reading the file failed ({what}). Save it anew as PDF, and upload that.",
}  # fmt: skip


def refuse(refusal: Refusal, **values: object) -> UnreadableDocument:
    """Make the error that refuses a document."""
    return UnreadableDocument(REFUSALS[refusal].format(**values), code=refusal.value)


class Warned(StrEnum):
    """What a person should know of a document that was read."""

    TYPE_MISMATCH = "type_mismatch"
    TRUNCATED = "truncated"
    TEXT_CUT = "text_cut"
    WORD_CUT = "word_cut"
    HIDDEN_TEXT = "hidden_text"
    SCANNED = "scanned"
    OCR_ILLEGIBLE = "ocr_illegible"
    OCR_UNAVAILABLE = "ocr_unavailable"
    OCR_PENDING = "ocr_pending"
    NO_TEXT = "no_text"
    MACROS = "macros"
    SCRIPTS = "scripts"
    POLYGLOT = "polyglot"
    DAMAGED = "damaged"
    UNMAPPED_FONT = "unmapped_font"
    ENCODING_GUESSED = "encoding_guessed"
    NO_SECTIONS = "no_sections"
    NO_NAME = "no_name"
    NO_CONTACT = "no_contact"
    LANGUAGE_NOT_HANDLED = "language_not_handled"
    FUTURE_DATE = "future_date"
    LOW_CONFIDENCE = "low_confidence"
    MODEL_HELPED = "model_helped"


WARNINGS = {
    Warned.TYPE_MISMATCH: "The file is said to be {claimed}, but its content is {found}; that was read.",
    Warned.TRUNCATED: "The document has {count} pages; only the first {limit} were read.",
    Warned.TEXT_CUT: "The document has more than {limit} characters; the rest was left out.",
    Warned.WORD_CUT: "A word has more than {limit} letters; the rest of it was left out.",
    Warned.HIDDEN_TEXT: "The document holds text that a person would not see ({reasons}); it was left out.",
    Warned.SCANNED: "Some pages are pictures; their text was recognised and may hold mistakes.",
    Warned.OCR_ILLEGIBLE: "Text was recognised with a confidence of {percent} % only; a person should look.",
    Warned.OCR_UNAVAILABLE: "Some pages are pictures, and no text recognition is installed; they were not read.",
    Warned.OCR_PENDING: "Some pages are pictures; their text is still being recognised.",
    Warned.NO_TEXT: "No text was found in the document.",
    Warned.MACROS: "The document holds macros; they were not run.",
    Warned.SCRIPTS: "The document holds scripts or embedded files; they were not opened.",
    Warned.POLYGLOT: "The file is also a valid {other}; it was read as {found}.",
    Warned.DAMAGED: "A part of the document could not be read ({what}); the rest was.",
    Warned.UNMAPPED_FONT: "A font does not say which letters it draws; the page was read as a picture.",
    Warned.ENCODING_GUESSED: "The text does not say how it is encoded; it was read as {encoding}.",
    Warned.NO_SECTIONS: "No headings were found; entries were told apart by what they say.",
    Warned.NO_NAME: "No name was found; the profile is incomplete.",
    Warned.NO_CONTACT: "Neither an e-mail address nor a telephone number was found; the profile is incomplete.",
    Warned.LANGUAGE_NOT_HANDLED: "The document is in {language}; English, German, French and Spanish are handled.",
    Warned.FUTURE_DATE: "An entry begins after {today}; its dates may be misread.",
    Warned.LOW_CONFIDENCE: "The {section} section was read with a confidence of {percent} %; look at it.",
    Warned.MODEL_HELPED: "A language model read the unsure sections ({sections}); every value stands in the document.",
}  # fmt: skip


REVIEWED = frozenset(
    {
        Warned.TYPE_MISMATCH,
        Warned.HIDDEN_TEXT,
        Warned.OCR_ILLEGIBLE,
        Warned.OCR_UNAVAILABLE,
        Warned.OCR_PENDING,
        Warned.NO_TEXT,
        Warned.POLYGLOT,
        Warned.DAMAGED,
        Warned.NO_SECTIONS,
        Warned.NO_NAME,
        Warned.NO_CONTACT,
        Warned.LANGUAGE_NOT_HANDLED,
        Warned.LOW_CONFIDENCE,
    }
)
"""A document with one of these needs a person's look, however sure its fields are."""


def flag(warned: Warned, **values: object) -> Flag:
    """Make a flag with its sentence."""
    return Flag(warned.value, WARNINGS[warned].format(**values))
