"""What a template asks for is nothing that somebody said."""

import pytest

from dibs.services.resumes.understanding.sections.prompts import is_prompt
from tests.services.resumes.understanding.drawing import draw, parse, stack, write

JOB = ["#Experience", "**Data Engineer", "Northwind Ltd", "2019 - 2021", "- Built the pipeline"]


@pytest.mark.parametrize(
    "line",
    [
        "[List any awards here]",
        "[Certification Name], [Issuing Organization], [Year]",
        "[Dates From] – [To]",
        "<Describe your project>",
        "Click or tap here to enter text.",
        "[Name der Firma], [Ort]",
        "[Décrivez votre poste]",
        "[Escriba aquí su nombre]",
    ],
)
def test_a_prompt_is_known(line):
    assert is_prompt(line)


@pytest.mark.parametrize(
    "line",
    [
        "[Available upon request.]",
        "[2019 – 2021]",
        "Northwind [formerly Helix]",
        "Dean's List [twice]",
        "Clicked through every page of the house",
        "<ada@mail.example>",
        "[Python, Kafka]",
    ],
)
def test_what_people_put_in_brackets_is_none(line):
    assert not is_prompt(line)


def test_prompts_that_nobody_filled_in_are_left_out():
    body = [*JOB, "#Awards", "[List any awards here]", "#Certifications", "[Certification Name], [Year]"]
    page = draw(write("Ada Lovelace", 40, 30, size=22, bold=True), stack(["ada@mail.example", "", *body], 40, 70))
    profile = parse(page)
    assert (profile.awards, profile.certificates) == ((), ())
    assert len(profile.work) == 1
