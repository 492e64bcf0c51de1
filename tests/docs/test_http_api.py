"""The page of the API says what the API says."""

from dibs.server.reference import write_page
from tests.docs.pages import DOCS


def test_the_reference_of_the_api_is_the_one_that_its_description_gives():
    page = (DOCS / "reference" / "http-api.md").read_text()
    assert page == write_page(), "run: python -m dibs.server.reference > docs/reference/http-api.md"
