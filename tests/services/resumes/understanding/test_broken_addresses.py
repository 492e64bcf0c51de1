"""Mail addresses without a link in narrow places: what stands around their halves, and where the halves stand."""

import pytest

from dibs.services.resumes.document import Box, Line, Link, Word
from dibs.services.resumes.understanding.layout.lines import bound
from dibs.services.resumes.understanding.person.mending import join_broken
from dibs.services.resumes.understanding.sections.rows import Row
from tests.services.resumes.understanding.drawing import draw, parse, said, stack, write
from tests.services.resumes.understanding.test_contacts import NAME, with_contacts
from tests.services.resumes.understanding.test_habits import JOB


def make_row(*words: Word) -> Row:
    return Row(Line(words, bound(words)))


def join(*rows: Row) -> list[str]:
    return [piece.text for piece in join_broken(rows)]


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        (("Email:hanspeterberg@post.exam", "ple.net"), "hanspeterberg@post.example.net"),
        (("hanspeterbergmann@post.exam", "ple.net✉"), "hanspeterbergmann@post.example.net"),
        (("hanspeterbergmann@post.exam", "ple.net ✉"), "hanspeterbergmann@post.example.net"),
        (("HANSPETERBERGMANN@POST.EXAM", "PLE.NET"), "HANSPETERBERGMANN@POST.EXAMPLE.NET"),
        (("hanspeterbergmann@mail.co", "m.example"), "hanspeterbergmann@mail.com.example"),
        (("hans", "@sankt-georg-spital.exam", "ple.net"), "hans@sankt-georg-spital.example.net"),
        (("hans@", "sankt-georg-spital.at.exam", "ple"), "hans@sankt-georg-spital.at.example"),
    ],
)
def test_an_address_goes_on_below_whatever_stands_around_it(lines: tuple[str, ...], whole: str):
    assert said(with_contacts(*lines, "London").email) == (whole,)


def test_a_name_in_capitals_is_no_part_of_the_page_below_it():
    contacts = with_contacts("AMSTERDAM-NOORD", "LINKEDIN.COM/IN/ADA")
    assert said(contacts.profiles[0].url) == ("https://LINKEDIN.COM/IN/ADA",)


def test_half_an_address_behind_its_label_goes_on_below():
    label, half = *write("Email", 40, 40, bold=True), *write("kathe_zimmer", 68, 40)
    rows = make_row(label, half), make_row(*write("mann49@post.exampl", 40, 52)), make_row(*write("e.net", 40, 64))
    assert join(*rows) == ["Email kathe_zimmermann49@post.example.net"]


def test_the_edge_of_a_cell_beside_a_label_is_where_its_lines_end():
    label = make_row(*write("Email", 40, 40), *write("josef_kowalski27", 70, 40))
    rows = label, make_row(*write("@post.example.ne", 70, 52)), make_row(*write("t", 70, 64))
    assert join(*rows) == ["Email josef_kowalski27@post.example.net"]


def test_a_wide_letter_finds_no_room_where_a_narrow_one_would():
    long, address = make_row(*write("Staatsangehörigkeit", 40, 40)), make_row(*write("kdvora@example.co", 40, 52))
    wide = Word("m", bound(list(write("mmm", 40, 64))), size=10)
    assert join(long, address, make_row(wide)) == ["Staatsangehörigkeit", "kdvora@example.com"]


@pytest.mark.parametrize("shift", [0, 55])
def test_addresses_in_cells_side_by_side_are_read_downwards(shift: int):
    """Flush left, or in the middle of the cell."""
    above = *write("joris_jansen62@example.c", 40, 60), *write("+31 6 12345166", 180, 60)
    right = (
        *write("linkedin.com/in/joris_ja", 300, 60),
        *write("om", 40 + shift, 72),
        *write("nsen", 300 + shift - shift // 10, 72),
    )
    basics = parse(draw(write(NAME, 40, 30, size=22, bold=True), iter(above), iter(right), stack(JOB, 40, 120))).basics
    assert said(basics.email, basics.profiles[0].url) == (
        "joris_jansen62@example.com",
        "https://linkedin.com/in/joris_jansen",
    )


def test_lines_under_each_other_that_share_no_cells_stay_lines():
    first = make_row(*write("ada.lovelace@example.c", 40, 40), *write("London", 200, 40))
    assert join(first, make_row(*write("om", 120, 52))) == ["ada.lovelace@example.c London", "om"]


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        (("guillermogarci-", "amoreno@inbox.example", "github.com/guillermogarciamoreno"), "guillermogarciamoreno"),
        (("jean-", "pierre@inbox.example", "github.com/jean-pierre"), "jean-pierre"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line_is_part_of_a_name_unless_it_is_told_without(lines: tuple[str, ...], whole: str):
    assert said(with_contacts(*lines).email) == (f"{whole}@inbox.example",)


def test_a_link_tells_whether_the_hyphen_is_part_of_the_address():
    lines = stack(["#Contact", "kat-", "saros@inbox.example"], 40, 70)
    link = Link("mailto:katsaros@inbox.example", Box(1, 40, 84, 140, 110))
    page = draw(write(NAME, 200, 30, size=22, bold=True), lines, stack(JOB, 260, 70), links=[link])
    assert said(parse(page).basics.email) == ("katsaros@inbox.example",)


@pytest.mark.parametrize("above", ["Bluesky", "linkedin.com", "ada@mail.example"])
def test_a_handle_is_no_half_of_an_address(above: str):
    rows = make_row(*write(above, 40, 40)), make_row(*write("@ada.bsky.social", 40, 52))
    assert join(*rows) == [above, "@ada.bsky.social"]


@pytest.mark.parametrize(
    "written",
    [
        "ada (at) mail.example",
        "ada[at]mail.example",
        "ada [AT] mail [DOT] example",
        "E-Mail: ada(@)mail(punkt)example",
        "Emailada@mail.example",
    ],
)
def test_an_address_is_known_however_it_is_written(written: str):
    email = with_contacts(written, "London").email
    assert (said(email)[0] or "").casefold() == "ada@mail.example"


def test_a_position_at_a_company_is_no_written_address():
    assert with_contacts("Engineer (at) Mail", "London").email is None


def test_an_address_may_begin_as_a_label_does():
    assert said(with_contacts("Email.ada@mail.example", "London").email) == ("Email.ada@mail.example",)


@pytest.mark.parametrize("above", ["12 Main St.", "Ada Byron, Ph.D.", "Acme Inc.", "Tel. 0171-", "10115-", "Full-"])
def test_what_ends_with_a_mark_above_a_whole_address_is_no_half_of_it(above: str):
    rows = make_row(*write(above, 40, 40)), make_row(*write("ada@mail.example", 40, 52))
    assert join(*rows) == [above, "ada@mail.example"]


@pytest.mark.parametrize("above", ["E-Mail ada.", "London Mail: ada.", "ada."])
def test_half_an_address_behind_its_mark_goes_on_below_whatever_stands_before_its_label(above: str):
    rows = make_row(*write(above, 40, 40)), make_row(*write("byron@mail.example", 40, 52))
    assert join(*rows) == [f"{above}byron@mail.example"]


@pytest.mark.parametrize("network", ["twitter", "Twitter"])
def test_a_handle_below_the_name_of_its_network_is_no_address(network: str):
    assert with_contacts(network, "@ada.byron", "London").email is None
    assert said(with_contacts(network, "@ada.byron", "ada@mail.example").email) == ("ada@mail.example",)


def test_a_position_at_a_domain_is_no_written_address_and_one_behind_a_label_is():
    talk, reached = "Speaker (at) conference.example", "Mail: ada (at) mail.example"
    name = write(NAME, 40, 30, size=22, bold=True)
    assert parse(draw(name, stack([*JOB, talk], 40, 70))).basics.email is None
    name = write(NAME, 40, 30, size=22, bold=True)
    assert said(parse(draw(name, stack([*JOB, talk, reached], 40, 70))).basics.email) == ("ada@mail.example",)


def test_half_an_address_without_a_width_goes_on_below():
    half = Word("hanspeterberg@post.exam", Box(1, 40, 40, 40, 52))
    assert join(make_row(half), make_row(*write("ple.net", 40, 52))) == ["hanspeterberg@post.example.net"]
