"""Questions of forms, which of them nobody may guess, and the ledger of answers. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from dibs.apps.postings.model import Question

_DASHES = re.compile(r"[\s_-]+")
# What agents call a question and what was answered, where they send lists of both.
_QUESTIONS = ("question", "label", "name", "key", "field", "field_name", "field_id", "id")
_VALUES = ("answer", "value", "response", "values", "answers", "selected", "choice")
# Nothing in a form is called so: what else stands beside one is what was answered, whatever it is called.
_SURE = frozenset({"question", "label"})


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
    r"|export control|\bu\.?s\.? person\b|visa required|require.{0,30}\bvisa|\bvis(?:ado|as|um|umet)\b"
    r"|\b(?:un|di|de) visto\b|\bvisto (?:di|de|per)\b"
    r"|\bnational(?:ity|ité|ität|iteit)|nacionalidad|nazionalità|nationalit|narodowoś|obywatelstw|staatsbürger"
    r"|work(?:ing)? rights|residence permit|residency status|(?:permitted|allowed|entitled) to work|permit to work"
    r"|legal status|employer support|work ?visum|\b(?:werk|arbeits|arbeids|arbets)visum|\bwiz[aęy]\b"
    r"|berechtigt.{0,40}arbeiten|arbeitsberechtig|arbeitsbewilligung|droit de travail|autorizzat\w* a lavorare"
    r"|(?:permiso|autorizad\w*|derecho).{0,10}(?:para|a|de|al) trabaj|autorizad\w* a trabalhar|permissão.{0,12}trabalh"
    r"|arbetstillstånd|arbejdstilladelse|arbeidstillatelse|työlupa|verblijfsvergunning|pracovní povolení"
)
_DEMOGRAPHIC = (
    r"\bgender\b|\bsex\b|pronoun|\brace\b|ethnic|hispanic|latin[oax@]|\bveteran|disabilit|disabled"
    r"|sexual orientation|lgbt|transgender|\breligio|\bage\b(?! of)|date of birth|birth ?date|geburtsdatum"
    r"|marital|pregnan|\bkinder\b|geschlecht|behinder|date de naissance|handicap|\bgenre\b|género|genero"
    r"|discapacidad|genere|disabilità|nascita|nacimiento|płeć|niepełnospraw|first.generation|socio.?economic"
    r"|neurodiver|caste|\bhow old\b|\byour age\b|year of birth|geburtsjahr|\bborn\b|\bover (?:16|18|21)\b"
    r"|\b(?:16|18|21) or older"
    r"|(?:do you|i|you) (?:self )?identify|identify as|protected (?:class|group|characteristic)|\bsex[eo]\b|\bsesso\b"
    r"|\banrede\b|\betnia\b|\brasse\b|\brasa\b|familienstand|état civil|estado civil|stato civile|\breligión|religião"
    r"|\bkonfession|underrepresented|indigenous|aboriginal|orientación sexual|orientamento sessuale|\bkön\b|\bkjønn\b"
    r"|fecha de nacimiento|data urodzenia|födelsedat|military status"
)
_PAY = (
    r"salar|compensation|\bpay\b(?!pal|roll)|\bwage|remunerat|expected (?:rate|income)|desired (?:rate|income)"
    r"|day rate|hourly rate|gehalt|lohnvorstell|vergütung|rémunération|prétention|sueldo|pretensi|retribuzion"
    r"|\bral\b|salaris|wynagrodz|oczekiwania (?:finansowe|płacowe)|löneanspråk|\bctc\b|salaire|stipendi|retributiv"
    r"|\blönekrav|\blønkrav|\blønnskrav|\bløn|palkka|\bstawk|\btotal comp\b|\b(?:minimum|acceptable|target|your) rate\b"
    r"|\btjm\b|tagessatz|stundensatz|tarifvorstellung|lohnerwartung|remuneraç|mzd[ay]|platov|зарплат|給与|年収|薪"
)
_LEGAL = (
    r"convict|felon|criminal|misdemeano|background check|non.?compete|non.?solicit|restrictive covenant"
    r"|lawsuit|litigation|\bconsent\b|i (?:agree|certify|acknowledge|confirm|declare)|terms (?:of|and)"
    r"|privacy (?:policy|notice)|gdpr|arbitration|conflict of interest|previously employed by"
    r"|\brelated to\b.{0,30}employee|drug (?:test|screen)|sanction|vorbestraft|führungszeugnis|straf"
    r"|datenschutz|einwillig|casier judiciaire|condamn|antecedentes penales|consentement|consentimiento"
    r"|consenso|signature|electronically sign|debarred|politically exposed|\barrest|\bdismissed\b|terminated for"
    r"|non.?disclosure|\bnda\b|restricts? you|bound by|\brelatives?\b|family member|previously (?:worked|employed)"
    r"|worked (?:for|at) .{1,40} before|former employee|privacy statement|\battest\b|licen[cs]e.{0,20}revoked"
    r"|misconduct|disciplinary|under investigation|stimme .{0,60}\bzu\b|politique de confidentialité"
    r"|j['\u2019]accepte|política de privacidad|\bacepto\b|\baccetto\b|informativa|\baceito\b|zgadzam|\bzgod[aęy]\b"
    r"|godkänner|samtyck|samtykk|wettbewerbsverbot"
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


def read_answers(given: object, form: Iterable[Question] = ()) -> list[tuple[str, str]]:
    """Give questions and values out of what a run answers: by question, within sections, or as a list of both.

    What goes by the name of a field of the form is an answer to that field's question. What has no question is one
    itself: what cannot be read must not pass for harmless.
    """
    labels = {question_key(one.name): one.label for one in form if one.name}
    return [] if given is None else list(_walk_answers("", given, labels))


def _walk_answers(section: str, given: object, labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if isinstance(given, dict):
        given = _read_pair(given)
        for key, inner in given.items():
            asked = labels.get(question_key(key), key)
            yield from _walk_answers(f"{section} {asked}".strip(), inner, labels)
    elif isinstance(given, list) and any(isinstance(inner, (dict, list)) for inner in given):
        for inner in given:
            yield from _walk_answers(section, inner, labels)
    else:
        yield section or str(given), str(given)


def _read_pair(given: dict[str, object]) -> dict[str, object]:
    """Give what was answered by its question, where both stand side by side; else what was given."""
    name = next((name for name in _QUESTIONS if isinstance(given.get(name), str)), None)
    value = next((one for one in _VALUES if one in given and one != name), None)
    if name is None or (value is None and name not in _SURE):
        return given
    others = {key: inner for key, inner in given.items() if key != name}
    return {str(given[name]): given[value] if value is not None else others or ""}


def find_guessed(answers: object, ledger: Mapping[str, Answer], form: Sequence[Question] = ()) -> list[str]:
    """List the answers of a run that nobody may guess and no person has given or approved, with that very value."""
    # Some are known by their options alone. Within a section, the section's name stands before them.
    asked = [f" {question_key(one.label)} " for one in form if find_topic_of(one) in NEVER_GUESSED]
    guessed = []
    for question, value in read_answers(answers, form):
        key = question_key(question)
        kept = ledger.get(key)
        is_given = kept is not None and kept.value == value and may_use(kept)
        is_never = find_topic(question) in NEVER_GUESSED or any(words in f" {key} " for words in asked)
        if is_never and not is_given:
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
