"""Questions that nobody may guess are known, and wait for a person."""

import pytest

from dibs.apps.postings.answers import (
    Answer,
    AnswerSource,
    Approval,
    Topic,
    find_guessed,
    find_topic,
    find_topic_of,
    find_unanswerable,
    may_use,
    needs_approval,
    question_key,
)
from dibs.apps.postings.model import Question


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Will you now or in the future require visa sponsorship?", Topic.WORK_AUTHORISATION),
        ("Are you legally authorized to work in the US?", Topic.WORK_AUTHORISATION),
        ("Do you have the right to work in the UK?", Topic.WORK_AUTHORISATION),
        ("Hast du eine gültige Arbeitserlaubnis?", Topic.WORK_AUTHORISATION),
        ("Avez-vous un titre de séjour ?", Topic.WORK_AUTHORISATION),
        ("visa_required", Topic.WORK_AUTHORISATION),
        ("What are your salary expectations?", Topic.PAY),
        ("Gehaltsvorstellung", Topic.PAY),
        ("Prétentions salariales", Topic.PAY),
        ("Desired compensation (USD)", Topic.PAY),
        ("Gender", Topic.DEMOGRAPHIC),
        ("Are you a protected veteran?", Topic.DEMOGRAPHIC),
        ("Voluntary self-identification of disability", Topic.DEMOGRAPHIC),
        ("Date of birth", Topic.DEMOGRAPHIC),
        ("Race / Ethnicity", Topic.DEMOGRAPHIC),
        ("Have you ever been convicted of a felony?", Topic.LEGAL),
        ("Are you bound by a non-compete agreement?", Topic.LEGAL),
        ("I certify that the above is true", Topic.LEGAL),
        ("Do you consent to a background check?", Topic.LEGAL),
        ("Benötigen Sie ein Visum?", Topic.WORK_AUTHORISATION),
        ("Avez-vous le droit de travailler en France ?", Topic.WORK_AUTHORISATION),
        ("¿Tienes permiso para trabajar en España?", Topic.WORK_AUTHORISATION),
        ("Nationalität", Topic.WORK_AUTHORISATION),
        ("Do you have unrestricted work rights in Australia?", Topic.WORK_AUTHORISATION),
        ("Are you permitted to work in the UK without restriction?", Topic.WORK_AUTHORISATION),
        ("Salaire souhaité", Topic.PAY),
        ("Lönekrav", Topic.PAY),
        ("Desired total comp", Topic.PAY),
        ("How do you identify?", Topic.DEMOGRAPHIC),
        ("How old are you?", Topic.DEMOGRAPHIC),
        ("Familienstand", Topic.DEMOGRAPHIC),
        ("Sexo", Topic.DEMOGRAPHIC),
        ("Have you ever been arrested?", Topic.LEGAL),
        ("Do you have any relatives working here?", Topic.LEGAL),
        ("Ich stimme der Verarbeitung meiner Daten zu", Topic.LEGAL),
        ("J\u2019accepte la politique de confidentialité", Topic.LEGAL),
        ("Are you able to work at weekends?", Topic.OTHER),
        ("Dove hai visto l'annuncio?", Topic.OTHER),
        ("How many years of Python do you have?", Topic.OTHER),
        ("LinkedIn profile", Topic.OTHER),
        ("Why do you want to work here?", Topic.OTHER),
        ("Language level", Topic.OTHER),
        ("What tools do you use for payroll?", Topic.OTHER),
    ],
)
def test_a_question_is_known_by_its_words(text, topic):
    assert find_topic(text) is topic


def test_a_question_is_known_by_its_name_and_options_too():
    assert find_topic_of(Question(label="Please choose", name="veteran_status")) is Topic.DEMOGRAPHIC
    asked = Question(label="Status", options=("I am a US citizen", "I need sponsorship"))
    assert find_topic_of(asked) is Topic.WORK_AUTHORISATION


def answer(question, source, value="yes", **more):
    return Answer(question=question, value=value, source=source, **more)


def test_only_a_person_answers_what_nobody_may_guess():
    pay = "What is your expected salary?"
    assert not may_use(answer(pay, AnswerSource.AGENT))
    assert not may_use(answer(pay, AnswerSource.PROFILE))
    assert may_use(answer(pay, AnswerSource.AGENT, approved_by="ada"))
    assert may_use(answer(pay, AnswerSource.PERSON))
    assert may_use(answer("Favourite editor?", AnswerSource.AGENT))


def test_a_form_says_beforehand_what_a_person_has_to_answer():
    visa, gender, why = Question(label="Need a visa?"), Question(label="Gender"), Question(label="Why us?")
    assert find_unanswerable([visa, gender, why], {}) == [visa]
    ledger = {question_key("need a VISA"): answer("Need a visa?", AnswerSource.PERSON)}
    assert find_unanswerable([visa, gender, why], ledger) == []
    required = Question(label="Gender", required=True)
    assert find_unanswerable([required], ledger) == [required]


def test_an_agent_that_changes_an_approved_answer_has_guessed():
    ledger = {question_key("Need a visa?"): answer("Need a visa?", AnswerSource.PERSON, "no")}
    assert find_guessed({"Need a visa?": "no", "Why us?": "fish"}, ledger) == []
    assert find_guessed({"Need a visa?": "yes"}, ledger) == ["Need a visa?"]
    assert find_guessed({"Salary": "1"}, {}) == ["Salary"]


@pytest.mark.parametrize(
    ("policy", "guessed", "is_approved", "waits"),
    [
        (Approval.EVERY_TIME, [], False, True),
        (Approval.EVERY_TIME, [], True, False),
        (Approval.WHEN_GUESSED, [], False, False),
        (Approval.WHEN_GUESSED, ["visa"], False, True),
        (Approval.WHEN_GUESSED, ["visa"], True, False),
        (Approval.NEVER, ["visa"], False, False),
    ],
)
def test_an_agent_waits_for_a_person_as_the_policy_says(policy, guessed, is_approved, waits):
    assert needs_approval(policy, guessed, is_approved=is_approved) is waits


@pytest.mark.parametrize(
    "answers",
    [
        {"Need a visa?": "no"},
        {"eligibility": {"Need a visa?": "no"}},
        [{"question": "Need a visa?", "answer": "no"}],
        {"custom": [{"label": "Need a visa?", "value": "no"}, {"label": "Why us?", "value": "fish"}]},
        [{"question": "Need a visa?", "response_text": "no"}],
        [{"label": "Need a visa?"}],
        ["Need a visa? no"],
        "visa: no",
    ],
)
def test_in_whatever_form_answers_come_none_passes_that_nobody_may_guess(answers):
    [guessed] = find_guessed(answers, {})
    assert find_topic(guessed) is Topic.WORK_AUTHORISATION


def test_a_list_of_questions_and_answers_is_compared_with_the_ledger():
    ledger = {question_key("Need a visa?"): answer("Need a visa?", AnswerSource.PERSON, "no")}
    assert find_guessed([{"question": "Need a visa?", "answer": "no"}], ledger) == []
    assert find_guessed([{"question": "Need a visa?", "answer": "yes"}], ledger) == ["Need a visa?"]
    assert find_guessed({"languages": ["en", "de"]}, {}) == []


FORM = (
    Question(label="Need a visa?", name="question_31"),
    Question(label="Please choose", name="32", options=("Hispanic or Latino", "Neither")),
    Question(label="Why us?", name="question_33[]"),
)


@pytest.mark.parametrize(
    ("answers", "guessed"),
    [
        ({"question_31": "no", "question_33": "fish"}, ["Need a visa?"]),
        ({"fields": {"question-31": "no"}}, ["fields Need a visa?"]),
        ([{"field": "question_31", "value": "no"}, {"id": "question_33", "value": "fish"}], ["Need a visa?"]),
        ({"32": "Neither"}, ["Please choose"]),
        ({"Please choose": "Neither"}, ["Please choose"]),
        ({"about you": {"32": "Neither"}}, ["about you Please choose"]),
        ({"32": {"choice": "Neither"}}, ["Please choose choice"]),
        ({"question_34": "no", "name": "Ada", "id": "7"}, []),
    ],
)
def test_what_goes_by_the_name_of_a_field_is_an_answer_to_its_question(answers, guessed):
    assert find_guessed(answers, {}, FORM) == guessed


def test_a_field_is_answered_with_what_a_person_said_to_its_question():
    ledger = {question_key("Need a visa?"): answer("Need a visa?", AnswerSource.PERSON, "no")}
    assert find_guessed({"question_31": "no"}, ledger, FORM) == []
    assert find_guessed({"question_31": "yes"}, ledger, FORM) == ["Need a visa?"]
