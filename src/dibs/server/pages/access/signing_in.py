"""The pages before anybody is known: signing in, and the first setup. What they send, `routes/front.py` takes."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from dibs.access.signing_in import is_setup_open
from dibs.errors import RequestRefused
from dibs.web.answers.json import answer
from dibs.web.doors import OpenDoor
from dibs.web.pages.shell import render

open_router = APIRouter(route_class=OpenDoor, include_in_schema=False)
Text = Annotated[str, Query(max_length=2_000)]
CLOSED = "this setup link is spent, too old or wrong. Start the server again for a new one."
# Sentences of ours for codes: whatever else stands in the address, whoever made the link may have written.
SENTENCES = {
    "sign_in_refused": "The name or the password is wrong, or the user is disabled. Try again, or ask an admin.",
    "too_many_sign_ins": "Too many wrong passwords. Wait a quarter of an hour, then try again.",
    "bad_field": "Fill in both fields.",
    "bad_input": "Use a name of printable characters, and a password of at least 12.",
}
OTHERWISE = "That did not work. Try again."


@open_router.get("/sign-in")
async def show_sign_in(
    request: Request, next_page: Annotated[str, Query(alias="next", max_length=2_000)] = "/", problem: Text = ""
) -> Response:
    """Show the form; where it leads afterwards is checked when it comes back."""
    return render(request, "server/access/sign_in.html", next=next_page, refused=_say(problem))


@open_router.get("/setup/{token}")
async def show_setup(request: Request, token: str, problem: Text = "") -> Response:
    """Show the form for the first admin, or that the link is spent; looking does not spend it."""
    is_open = await is_setup_open(request.app.state.directory, token)
    if "text/html" in request.headers.get("accept", ""):
        status = 200 if is_open else 404
        return render(request, "server/access/setup.html", status=status, is_open=is_open, refused=_say(problem))
    if not is_open:
        raise RequestRefused(CLOSED, code="setup_closed")
    return answer({"setup": "open", "send": ["name", "password"]})


def _say(problem: str) -> str:
    return SENTENCES.get(problem, OTHERWISE) if problem else ""
