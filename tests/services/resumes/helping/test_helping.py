from typing import Any

import pytest

from dibs.errors import FetchTimeout
from dibs.services.resumes.helping import help_resume

TEXT = "Wizard of Light\nHelix\nJan 2019 to Mar 2021\nKept the lamps burning"


def resume(**changes: Any) -> dict[str, Any]:
    boxes = [{"page": 1, "box": [0, 10 * n, 100, 10 * n + 10]} for n in range(4)]
    section = {"kind": "work", "title": "Career", "text": TEXT, "confidence": 0.4, "boxes": boxes} | changes
    fields = {"work[0].name": {"value": "Wizard of Light", "confidence": 0.4, "evidence": []}}
    return {"work": [{"name": "Wizard of Light"}], "meta": {"flags": [], "sections": [section], "fields": fields}}


class Model:
    """Answers what it is told to, and counts how often it is asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[Any] = []

    async def ask(self, question: Any) -> Any:
        self.asked.append(question)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


TRUE = {"position": "Wizard of Light", "name": "Helix", "startDate": "2019-01", "endDate": "2021-03", "location": None}


async def test_an_unsure_section_is_read_by_the_model():
    helped = await help_resume(resume(), Model({"section_0": [TRUE]}).ask)
    assert helped["work"] == [
        {"position": "Wizard of Light", "name": "Helix", "startDate": "2019-01", "endDate": "2021-03"}
    ]
    assert helped["meta"]["fields"]["work[0].name"]["evidence"] == [{"page": 1, "box": [0, 10, 100, 20]}]
    assert [flag["code"] for flag in helped["meta"]["flags"]] == ["model_helped"]


async def test_what_the_document_does_not_say_is_dropped():
    lie = TRUE | {"name": "Google", "startDate": "2018-05", "location": "Paris"}
    helped = await help_resume(resume(), Model({"section_0": [lie, {"name": "OpenAI"}]}).ask)
    assert helped["work"] == [{"position": "Wizard of Light", "endDate": "2021-03"}]


async def test_a_sure_section_is_not_asked_about():
    model = Model({"section_0": [TRUE]})
    sure = resume(confidence=0.9)
    assert await help_resume(sure, model.ask) == sure
    assert model.asked == []


@pytest.mark.parametrize(
    "answer", [FetchTimeout("too slow"), "no JSON object", {}, {"section_0": "no list"}, {"section_0": [7]}]
)
async def test_without_a_true_answer_the_rules_are_kept(answer):
    before = resume()
    assert await help_resume(before, Model(answer).ask) == before


async def test_all_unsure_sections_go_into_one_question():
    both = resume()
    both["meta"]["sections"].append(
        {"kind": "skills", "title": "", "text": "Lamps and wicks", "confidence": 0.3, "boxes": []}
    )
    model = Model({"section_0": [TRUE], "section_1": [{"name": "Lamps"}]})
    helped = await help_resume(both, model.ask)
    (question,) = model.asked
    assert "SECTION 1 (skills)" in question.text
    assert helped["skills"] == [{"name": "Lamps"}]
