"""An agent that applies: claims a posting, fills in its form, announces, submits, and says what it did.

pip install httpx playwright
python main.py http://127.0.0.1:8470 KEY ramp 12345 answers.json

The key needs `postings:read` and `postings:write`; answers.json has the answers by the labels of the form. Set CHROMIUM
to a browser, or run `playwright install chromium`. Nothing is sent twice, whatever happens to this program.
"""

import json
import os
import sys
from pathlib import Path

import httpx
from form import fill_in, submit
from playwright.sync_api import Error as BrowserError
from playwright.sync_api import Page, sync_playwright
from run import Refused, Run


def apply(page: Page, run: Run, answers: dict[str, str]) -> str:
    """Apply, and give the status that was reported in the end."""
    try:
        page.goto(run.url)
        given = fill_in(page, answers)
    except BrowserError as error:
        # Before the announcement nothing was sent: the posting is free for the next.
        run.report("failed", error=error.message[:500])
        return "failed"
    run.announce(given)
    try:
        confirmation = submit(page)
    except BrowserError as error:
        # It may have arrived. A person finds out, instead of somebody applying again.
        run.report("unknown", error=error.message[:500])
        return "unknown"
    run.report("success", artifacts={"confirmation": confirmation, "confirmation_url": page.url})
    return "success"


def main(place: str, key: str, board: str, job_id: str, answers_file: str) -> str:
    """Apply to one posting."""
    answers = json.loads(Path(answers_file).read_text())
    flags = os.environ.get("CHROMIUM_FLAGS", "").split()
    with httpx.Client(base_url=place, headers={"Authorization": f"Bearer {key}"}, timeout=30) as client:
        try:
            run = Run(client, board, job_id)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=flags)
                return apply(browser.new_page(), run, answers)
        except Refused as refusal:
            return f"refused: {refusal}"


if __name__ == "__main__":
    print(main(*sys.argv[1:6]))
