"""Fields of a resume by sections."""

from dibs.services.resumes.uploads.grouping import group_fields


def test_fields_stand_in_sections_under_words_that_people_use():
    paths = ("work[10].name", "work[9].startDate", "basics.location.countryCode", "skills[1].name", "skills[0].name")
    found = group_fields(dict.fromkeys((*paths, "work[9].highlights[1]", "basics.name"), "x"))
    shown = [(section.title, [line.label for line in section.lines]) for section in found]
    assert shown == [
        ("Basics", ["name", "country"]),
        ("Work 10", ["start date", "highlights 2"]),
        ("Work 11", ["employer"]),
        ("Skills", ["1", "2"]),
    ]


def test_sections_have_keys_of_their_own():
    found = group_fields({"work[0].name": "x", "work[1].name": "y", "work[1].position": "z", "odd path!": "?"})
    assert len({section.key for section in found}) == len(found)
