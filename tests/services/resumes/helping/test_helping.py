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


def unsure(kind: str, text: str, **parts: Any) -> dict[str, Any]:
    section = {"kind": kind, "title": "", "text": text, "confidence": 0.3, "boxes": []}
    return {"meta": {"flags": [], "sections": [section], "fields": {}}} | parts


@pytest.mark.parametrize(
    ("text", "said", "unsaid"),
    [
        ("Docker at Google", ["Docker", "google"], ["R", "Go", "oogle", "Dock"]),
        ("C++, C#, .NET and Node.js", ["C++", "C#", ".NET", "Node.js"], ["C", "NE"]),
        ("Straße\nund  Bau", ["straße und bau", "Bau"], ["aße", "ra"]),
        ("2012東京大学卒業", ["東京大学"], ["京都"]),
    ],
)
async def test_a_part_of_a_word_is_not_said(text, said, unsaid):
    answer = {"section_0": [{"name": name} for name in (*said, *unsaid)]}
    helped = await help_resume(unsure("skills", text), Model(answer).ask)
    assert [one["name"] for one in helped["skills"]] == said


async def test_what_a_model_says_has_normal_forms_and_is_said_once():
    answer = {"section_0": [{"name": name} for name in ("k8s", "Kubernetes", "ML", "Python", "python")]}
    helped = await help_resume(unsure("skills", "k8s Kubernetes ML Python"), Model(answer).ask)
    assert [one["name"] for one in helped["skills"]] == ["k8s", "ML", "Python"]
    normals = [helped["meta"]["fields"][f"skills[{n}].name"]["normal"] for n in range(3)]
    assert normals == ["Kubernetes", "Machine learning", "Python"]
    assert helped["meta"]["fields"]["skills[2].name"]["reference"].startswith("http://data.europa.eu/esco/")
    assert helped["meta"]["text"] == "Kubernetes, Machine learning, Python"


async def test_what_no_model_is_asked_for_stays_with_its_entry():
    told = {"value": "Kept the lamps burning", "confidence": 0.8, "evidence": []}
    rules = [{"name": "Lamps"}, {"name": "Helix", "startDate": "2019-01", "highlights": ["Kept the lamps burning"]}]
    before = resume() | {"work": rules}
    before["meta"]["fields"] = {"work[1].name": told, "work[1].highlights[0]": told}
    helped = await help_resume(before, Model({"section_0": [TRUE]}).ask)
    assert [one["highlights"] for one in helped["work"]] == [["Kept the lamps burning"]]
    assert helped["meta"]["fields"]["work[0].highlights[0]"] == told
    assert not [path for path in helped["meta"]["fields"] if path.startswith("work[1]")]
    assert helped["meta"]["text"] == "Wizard of Light at Helix\nKept the lamps burning"
