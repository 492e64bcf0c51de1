"""What people correct stays, whatever reading the document again gives."""

from datetime import UTC, datetime

import pytest

from dibs.errors import BadInput
from dibs.services.resumes.uploads.correcting.applying import apply_corrections
from dibs.services.resumes.uploads.correcting.places import Place, check_value, read_place
from dibs.services.resumes.uploads.model import Correction
from tests.services.resumes.uploads.conftest import hand_in

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
WHY = {"reason": "misread"}
FIRST = {"name": "Acme Ltd", "position": "Enginer", "startDate": "2019"}
SECOND = {"name": "Globex", "position": "Clerk"}


def told(value, page: int = 1) -> dict:
    return {"value": value, "confidence": 0.7, "evidence": [{"page": page, "box": [1, 2, 3, 4]}]}


def profile(*work: dict, name: str = "Jane Roe") -> dict:
    fields = {f"work[{n}].{key}": told(value) for n, one in enumerate(work) for key, value in one.items()}
    fields["basics.name"] = told(name)
    return {"basics": {"name": name}, "work": list(work), "meta": {"status": "ok", "flags": [], "fields": fields}}


def correct(resume: dict, *pairs: tuple[str, object]) -> list[Correction]:
    """Make corrections as a person who sees the resume would, one after the other."""
    made: list[Correction] = []
    for number, (path, value) in enumerate(pairs):
        place = read_place(path)
        entry = apply_corrections(resume, made).find(place)
        anchor = None if entry is None else entry.make_anchor()
        facts = {"section": place.section, "field": place.field, "value": check_value(place, path, value)}
        made.append(Correction(id=str(number), resume_id="r", actor="ada", at=NOON, anchor=anchor, **facts))
    return made


def test_a_corrected_field_is_sure_and_says_who_corrected_it_and_where_it_stood():
    resume = profile(FIRST)
    shown = apply_corrections(resume, correct(resume, ("work[0].position", "Engineer"))).resume
    assert shown["work"][0] == {**FIRST, "position": "Engineer"}
    field = shown["meta"]["fields"]["work[0].position"]
    assert (field["confidence"], field["corrected_by"], field["evidence"][0]["page"]) == (1.0, "ada", 1)
    assert resume == profile(FIRST)


def test_normal_forms_and_the_text_for_an_embedding_follow_what_a_person_says():
    resume = profile(FIRST)
    resume["meta"] |= {"text": "Enginer at Acme Ltd"}
    made = correct(resume, ("work[0].position", "Senior Software Engineer"), ("skills[-]", {"name": "k8s"}))
    meta = apply_corrections(resume, made).resume["meta"]
    assert meta["text"] == "Kubernetes\nSenior Software Engineer at Acme Ltd"
    assert meta["fields"]["skills[0].name"]["normal"] == "Kubernetes"
    assert meta["fields"]["work[0].position"]["normal"].startswith("senior")
    assert apply_corrections(resume, []).resume["meta"]["text"] == "Enginer at Acme Ltd"


def test_a_correction_goes_with_its_entry_when_the_list_is_read_in_another_order():
    made = correct(profile(FIRST, SECOND), ("work[0].position", "Engineer"))
    shown = apply_corrections(profile({"name": "New"}, SECOND, FIRST), made).resume
    assert [one.get("position") for one in shown["work"]] == [None, "Clerk", "Engineer"]
    assert "corrected_by" in shown["meta"]["fields"]["work[2].position"]
    assert "corrected_by" not in shown["meta"]["fields"]["work[1].position"]


def test_an_entry_that_is_read_no_more_comes_back_as_the_person_left_it():
    made = correct(profile(FIRST), ("work[0].position", "Engineer"), ("work[0].name", "Acme Limited"))
    shown = apply_corrections(profile(SECOND), made).resume
    assert shown["work"] == [SECOND, {"name": "Acme Limited", "position": "Engineer", "startDate": "2019"}]


def test_an_entry_that_was_taken_out_stays_out():
    made = correct(profile(FIRST, SECOND), ("work[0]", None))
    assert apply_corrections(profile(SECOND, FIRST), made).resume["work"] == [SECOND]
    assert apply_corrections(profile(SECOND), made).resume["work"] == [SECOND]
    fields = apply_corrections(profile(FIRST, SECOND), made).resume["meta"]["fields"]
    assert fields["work[0].name"]["value"] == "Globex"
    assert "work[1].name" not in fields


def test_an_entry_can_be_added_and_corrected_afterwards():
    resume = profile(FIRST)
    made = correct(resume, ("work[-]", {"name": "Initech", "highlights": ["a"]}), ("work[1].name", "Initrode"))
    assert apply_corrections(resume, made).resume["work"][1] == {"name": "Initrode", "highlights": ["a"]}


def test_a_field_that_is_taken_out_is_gone_and_says_so():
    resume = profile(FIRST)
    shown = apply_corrections(resume, correct(resume, ("basics.name", None), ("work[0].startDate", None))).resume
    assert "name" not in shown["basics"]
    assert "startDate" not in shown["work"][0]
    assert shown["meta"]["fields"]["basics.name"]["value"] is None


def test_a_field_within_a_place_can_be_set_where_there_was_none():
    resume = profile()
    made = correct(resume, ("basics.location.city", "Bern"), ("basics.profiles[-]", {"network": "GitHub"}))
    shown = apply_corrections(resume, made).resume
    assert shown["basics"]["location"] == {"city": "Bern"}
    assert shown["basics"]["profiles"] == [{"network": "GitHub"}]


@pytest.mark.parametrize(
    "path",
    ["", "name", "basics", "basics.nothing", "basics[0].name", "work", "work.name", "work[x].name", "work[0].nothing",
     "work[-].name", "meta.status", "work[0]..name", "basics.name\n", "work[0].highlights[0]", "a" * 200],
)  # fmt: skip
def test_a_path_that_no_profile_has_is_refused(path):
    with pytest.raises(BadInput, match=r"a profile has no field .* such as basics\.name"):
        read_place(path)


@pytest.mark.parametrize(
    ("path", "value"),
    [("basics.name", ""), ("basics.name", 5), ("basics.name", "a\x00b"), ("basics.name", "x" * 10_001),
     ("work[0].startDate", "last year"), ("work[0].startDate", "2019-13"), ("work[0].highlights", "one"),
     ("work[0]", {"nothing": "x"}), ("work[0]", []), ("work[-]", None), ("work[-]", {})],
)  # fmt: skip
def test_a_value_that_makes_no_sense_is_refused(path, value):
    with pytest.raises(BadInput, match="give"):
        check_value(read_place(path), path, value)


def test_places_are_read_apart():
    assert read_place("work[12].startDate") == Place(section="work", index=12, field="startDate")
    assert read_place("basics.location.city") == Place(section="basics", field="location.city")
    assert read_place("basics.profiles[1].url") == Place(section="basics.profiles", index=1, field="url")
    assert read_place("skills[-]").is_new


async def test_corrections_over_http_survive_reading_again(acme, drain):
    made = await hand_in(acme)
    fields = {"basics.name": "Janet Roe", "work[0].position": "Lead Engineer", "skills[-]": {"name": "Rust"}}
    changed = await acme.patch(f"/resumes/{made['id']}", json={"fields": fields, **WHY})
    assert changed.status_code == 200, changed.text
    await acme.post(f"/resumes/{made['id']}/read", json=WHY)
    await drain()
    found = (await acme.get(f"/resumes/{made['id']}")).json()
    assert (found["state"], found["round"]) == ("done", 2)
    assert found["resume"]["basics"]["name"] == "Janet Roe"
    assert found["resume"]["work"][0]["position"] == "Lead Engineer"
    assert found["resume"]["skills"][-1] == {"name": "Rust"}
    assert found["resume"]["meta"]["fields"]["basics.name"]["corrected_by"] == "acme-key"
    (listed,) = (await acme.get("/resumes")).json()["resumes"]
    assert (listed["person"], found["person"]) == ("Janet Roe", "Janet Roe")


async def test_a_correction_meant_for_another_version_changes_nothing(acme):
    made = await hand_in(acme)
    path, body = f"/resumes/{made['id']}", {"fields": {"basics.name": "Janet Roe"}, **WHY}
    assert (await acme.patch(path, json=body, headers={"If-Match": '"v1"'})).json()["code"] == "resume_moved"
    assert (await acme.get(path)).json() == made
    assert (await acme.patch(path, json=body, headers={"If-Match": '"v2"'})).status_code == 200


async def test_one_bad_field_among_good_ones_changes_nothing(acme):
    made = await hand_in(acme)
    fields = {"basics.name": "Janet Roe", "work[7].name": "x"}
    refused = await acme.patch(f"/resumes/{made['id']}", json={"fields": fields, **WHY})
    assert refused.status_code == 422
    assert "work is shorter" in refused.json()["detail"]
    assert (await acme.get(f"/resumes/{made['id']}")).json() == made


async def test_who_has_looked_at_it_decides_its_status_until_it_is_read_again(acme, drain):
    made = await hand_in(acme, b"Jane Roe\n", "jane.txt")
    assert made["status"] == "needs_review"
    path = f"/resumes/{made['id']}"
    seen = (await acme.patch(path, json={"reviewed": True, **WHY})).json()
    assert (seen["status"], seen["resume"]["meta"]["status"], seen["reviewed_by"]) == ("ok", "ok", "acme-key")
    assert (await acme.patch(path, json={"reviewed": False, **WHY})).json()["status"] == "needs_review"
    await acme.patch(path, json={"reviewed": True, **WHY})
    await acme.post(f"{path}/read", json=WHY)
    await drain()
    again = (await acme.get(path)).json()
    assert (again["status"], again["reviewed_at"]) == ("needs_review", None)
