"""`dibs postings`."""

import json

from dibs.cli.main import run


def read(capsys, *arguments):
    code = run(["postings", "read", *arguments])
    shown = capsys.readouterr()
    return code, [json.loads(line) for line in shown.out.splitlines()], shown.err


def save(tmp_path, document):
    file = tmp_path / "jobs.json"
    file.write_text(json.dumps(document))
    return str(file)


def test_a_saved_payload_is_printed_as_json_lines(tmp_path, capsys):
    row = {"id": 7, "title": "Cook", "content": "Salary: $20 - $25 per hour", "location": {"name": "Lima"}}
    code, lines, told = read(capsys, "--board", "greenhouse", "--company", "Ibis", save(tmp_path, {"jobs": [row]}))
    assert (code, told) == (0, "")
    assert lines == [
        {
            "external_id": "7",
            "title": "Cook",
            "company": "Ibis",
            "locations": ["Lima"],
            "remote": None,
            "department": None,
            "employment_type": None,
            "pay": {"min": 20, "max": 25, "currency": "USD", "period": "hour"},
            "posted_at": None,
            "updated_at": None,
            "apply_url": None,
            "text": "Salary: $20 - $25 per hour",
        }
    ]


def test_a_bad_row_is_told_and_the_others_are_printed(tmp_path, capsys):
    code, lines, told = read(capsys, "--board", "greenhouse", save(tmp_path, {"jobs": [5, {"id": 7, "title": "Cook"}]}))
    assert (code, len(lines)) == (0, 1)
    assert "row 0: the row is a int" in told


def test_what_is_no_payload_of_the_board_ends_with_1(tmp_path, capsys):
    code, lines, told = read(capsys, "--board", "lever", save(tmp_path, {"ok": False}))
    assert (code, lines) == (1, [])
    assert "no answer of lever" in told


def test_days_in_words_are_read_as_of_a_day(tmp_path, capsys):
    row = {"title": "Clerk", "bulletFields": ["R1"], "postedOn": "Posted 3 Days Ago"}
    file = save(tmp_path, {"total": 1, "jobPostings": [row]})
    _, lines, _ = read(capsys, "--board", "workday", "--as-of", "2026-05-10", file)
    assert lines[0]["posted_at"] == "2026-05-07"


def test_an_unknown_board_and_a_missing_file_are_refused(tmp_path, capsys):
    assert read(capsys, "--board", "monster", save(tmp_path, []))[0] == 2
    code, _, told = read(capsys, "--board", "lever", str(tmp_path / "none.json"))
    assert (code, "No such file" in told) == (2, True)
