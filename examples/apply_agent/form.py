"""A form in a browser: filled in with what is known, and sent."""

from playwright.sync_api import Page

PATIENCE_MS = 10_000


def fill_in(page: Page, answers: dict[str, str]) -> dict[str, str]:
    """Fill in every field whose label is known, and give what was answered. Nothing is guessed."""
    given = {}
    for label, value in answers.items():
        field = page.get_by_label(label, exact=True)
        if field.count() != 1:
            continue
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
        given[label] = value
    return given


def submit(page: Page) -> str:
    """Click, and give what proves that it arrived; raises if nothing does."""
    page.get_by_role("button", name="Submit").click()
    return page.locator("#confirmation").inner_text(timeout=PATIENCE_MS)
