"""Questions of forms, which of them nobody may guess, and the ledger of answers. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from dibs.apps.postings.model import Question

_DASHES = re.compile(r"[\s_-]+")
# What agents call a question and what was answered, where they send lists of both.
_QUESTIONS = ("question", "label", "name", "key")
_VALUES = ("answer", "value", "response")


class Topic(StrEnum):
    """What a question is about, as far as it matters who answers it."""

    WORK_AUTHORISATION = "work_authorisation"
    PAY = "pay"
    LEGAL = "legal"
    DEMOGRAPHIC = "demographic"
    OTHER = "other"


NEVER_GUESSED = frozenset(set(Topic) - {Topic.OTHER})
_AUTHORISATION = (
    r"\bvisa\b|sponsor|work (?:permit|authori[sz]ation|eligib)|authori[sz]ed to work|right to work"
    r"|eligible to work|legally (?:entitled|permitted|able|allowed|authori[sz]ed|work)|immigration|citizenship"
    r"|\bcitizen\b|green card|security clearance|arbeitserlaubnis|arbeitsgenehmigung|aufenthalt"
    r"|staatsangehörigkeit|permis de travail|autoris\w* (?:à|de) travail|titre de séjour|permiso de trabajo"
    r"|permesso di (?:lavoro|soggiorno)|autorização de trabalho|werkvergunning|pozwoleni\w* na pracę|\bitar\b"
    r"|export control|\bu\.?s\.? person\b|visa required|\bnationality\b|require.{0,30}\bvisa"
)
_DEMOGRAPHIC = (
    r"\bgender\b|\bsex\b|pronoun|\brace\b|ethnic|hispanic|latin[oax@]|\bveteran|disabilit|disabled"
    r"|sexual orientation|lgbt|transgender|\breligio|\bage\b(?! of)|date of birth|birth ?date|geburtsdatum"
    r"|marital|pregnan|\bkinder\b|geschlecht|behinder|date de naissance|handicap|\bgenre\b|género|genero"
    r"|discapacidad|genere|disabilità|nascita|nacimiento|płeć|niepełnospraw|first.generation|socio.?economic"
    r"|neurodiver|caste"
)
_PAY = (
    r"salar|compensation|\bpay\b(?!pal|roll)|\bwage|remunerat|expected (?:rate|income)|desired (?:rate|income)"
    r"|day rate|hourly rate|gehalt|lohnvorstell|vergütung|rémunération|prétention|sueldo|pretensi|retribuzion"
    r"|\bral\b|salaris|wynagrodz|oczekiwania finansowe|löneanspråk|\bctc\b"
)
_LEGAL = (
    r"convict|felon|criminal|misdemeano|background check|non.?compete|non.?solicit|restrictive covenant"
    r"|lawsuit|litigation|\bconsent\b|i (?:agree|certify|acknowledge|confirm|declare)|terms (?:of|and)"
    r"|privacy (?:policy|notice)|gdpr|arbitration|conflict of interest|previously employed by"
    r"|\brelated to\b.{0,30}employee|drug (?:test|screen)|sanction|vorbestraft|führungszeugnis|straf"
    r"|datenschutz|einwillig|casier judiciaire|condamn|antecedentes penales|consentement|consentimiento"
    r"|consenso|signature|electronically sign|debarred|politically exposed"
)
_PATTERNS = (
    (Topic.WORK_AUTHORISATION, _AUTHORISATION),
    (Topic.DEMOGRAPHIC, _DEMOGRAPHIC),
    (Topic.PAY, _PAY),
    (Topic.LEGAL, _LEGAL),
)
_TOPICS = tuple((topic, re.compile(pattern, re.IGNORECASE)) for topic, pattern in _PATTERNS)


class AnswerSource(StrEnum):
    """Where an answer comes from."""

    PERSON = "person"
    PROFILE = "profile"
    AGENT = "agent"


class Answer(Struct, frozen=True, kw_only=True):
    """One line of the ledger. `approved_by`: the person who let it through."""

    question: str
    value: str
    source: AnswerSource
    approved_by: str | None = None
    approved_at: datetime | None = None
    run_id: str | None = None


def find_topic(text: str) -> Topic:
    """Tell what a question is about. In doubt it is one that nobody may guess."""
    said = _DASHES.sub(" ", text[:2000])
    return next((topic for topic, pattern in _TOPICS if pattern.search(said)), Topic.OTHER)


def find_topic_of(question: Question) -> Topic:
    """Tell what a question is about by its label, its name and its options."""
    said = (find_topic(text) for text in (question.label, question.name or "", " · ".join(question.options)))
    return next((topic for topic in said if topic is not Topic.OTHER), Topic.OTHER)


def question_key(text: str) -> str:
    """Write a question so that two ways of typing it are one."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))[:500]


def may_use(answer: Answer) -> bool:
    """Tell whether an answer may be sent: one that nobody may guess must be a person's own, or approved by one."""
    if find_topic(answer.question) is Topic.OTHER:
        return True
    return answer.source is AnswerSource.PERSON or answer.approved_by is not None


def find_unanswerable(questions: Iterable[Question], ledger: Mapping[str, Answer]) -> list[Question]:
    """List the questions that a person has to answer first: never guessed, and not in the ledger as usable.

    The ledger is by `question_key`. Demographic questions that may be left out are left out.
    """
    found = []
    for question in questions:
        topic = find_topic_of(question)
        is_skipped = topic is Topic.DEMOGRAPHIC and not question.required
        answer = ledger.get(question_key(question.label))
        is_usable = answer is not None and (answer.source is AnswerSource.PERSON or answer.approved_by is not None)
        if topic in NEVER_GUESSED and not is_skipped and not is_usable:
            found.append(question)
    return found


def read_answers(given: object) -> list[tuple[str, str]]:
    """Give questions and values out of what a run answers: by question, within sections, or as a list of both.

    What has no question is one itself: what cannot be read must not pass for harmless.
    """
    return [] if given is None else list(_walk_answers("", given))


def _walk_answers(section: str, given: object) -> Iterator[tuple[str, str]]:
    if isinstance(given, dict):
        question = next((given[name] for name in _QUESTIONS if isinstance(given.get(name), str)), None)
        value = next((name for name in _VALUES if name in given), None)
        if question is not None and value is not None:
            given = {question: given[value]}
        for key, inner in given.items():
            yield from _walk_answers(f"{section} {key}".strip(), inner)
    elif isinstance(given, list) and any(isinstance(inner, (dict, list)) for inner in given):
        for inner in given:
            yield from _walk_answers(section, inner)
    else:
        yield section or str(given), str(given)


def find_guessed(answers: object, ledger: Mapping[str, Answer]) -> list[str]:
    """List the answers of a run that nobody may guess and no person has given or approved, with that very value."""
    guessed = []
    for question, value in read_answers(answers):
        kept = ledger.get(question_key(question))
        is_given = kept is not None and kept.value == value and may_use(kept)
        if find_topic(question) in NEVER_GUESSED and not is_given:
            guessed.append(question)
    return guessed


class Approval(StrEnum):
    """Whether a person has to agree before an agent submits. A new board asks every time."""

    EVERY_TIME = "every_time"
    WHEN_GUESSED = "when_guessed"
    NEVER = "never"


def needs_approval(policy: Approval, guessed: Iterable[str], *, is_approved: bool) -> bool:
    """Tell whether an agent has to wait for a person before it submits."""
    if is_approved:
        return False
    return policy is Approval.EVERY_TIME or (policy is Approval.WHEN_GUESSED and any(True for _ in guessed))
