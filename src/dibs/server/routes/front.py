"""The front door, for people: signing in and out, and the first setup. Open, because nobody is known here yet.

Each takes JSON or a page's form. A form is answered with the next page (303): after a refusal the same page again, with
the code of the problem in its query.
"""

from fastapi import APIRouter, Request
from starlette.responses import Response

from dibs.access import signing_in
from dibs.access.directory import Directory
from dibs.access.model import User
from dibs.access.signing_in import SignIn
from dibs.errors import BadInput, DibsError
from dibs.web.answers.json import answer
from dibs.web.answers.problems import make_problem, render_problem
from dibs.web.doorkeeping import find_place
from dibs.web.doors import OpenDoor
from dibs.web.forms import is_form, lead_to, read_fields
from dibs.web.sessions import Home

SIGN_IN, SIGN_OUT, SETUP = "/sign-in", "/sign-out", "/setup"
router = APIRouter(route_class=OpenDoor, include_in_schema=False)


@router.post(SIGN_IN)
async def sign_in(request: Request) -> Response:
    """Begin a session: `name`, `password`, and for forms `next`, the page to go on with."""
    try:
        given = await read_fields(request, "name", "password")
        return await _begin(request, given)
    except DibsError as error:
        return _refuse(request, error, SIGN_IN)


@router.post(SIGN_OUT)
async def sign_out(request: Request) -> Response:
    """End the session of the cookie."""
    home = _home(request)
    session = home.find_session(request)
    if session:
        await signing_in.sign_out(_directory(request), session)
    response = lead_to(SIGN_IN) if is_form(request) else Response(status_code=204)
    home.end_session(response)
    return response


@router.post(SETUP + "/{token}")
async def set_up(request: Request, token: str) -> Response:
    """Make the first admin, `name` and `password`, and begin a session."""
    try:
        given = await read_fields(request, "name", "password")
        await signing_in.finish_setup(_directory(request), token, given["name"], given["password"])
        return await _begin(request, given)
    except DibsError as error:
        return _refuse(request, error, f"{SETUP}/{token}")


async def _begin(request: Request, given: dict[str, str]) -> Response:
    directory, home = _directory(request), _home(request)
    asked = SignIn(name=given["name"], password=given["password"], address=find_place(request))
    user, session = await signing_in.sign_in(directory, asked)
    request.app.state.doorkeeping.know(session)
    response = lead_to(given.get("next")) if is_form(request) else answer({"user": _write_user(user)})
    home.begin_session(response, session, directory.rules.session_life)
    return response


def _refuse(request: Request, error: DibsError, page: str) -> Response:
    problem = make_problem(error)
    if not is_form(request):
        return render_problem(error)
    # What is wrong with a new name or password is ours to say; nothing that was typed is in it.
    more = {"detail": problem.detail} if isinstance(error, BadInput) else {}
    return lead_to(page, problem=problem.code, **more)


def _write_user(user: User) -> dict[str, str | None]:
    return {"id": user.id, "name": user.name, "role": user.role, "tenant": user.tenant}


def _home(request: Request) -> Home:
    home: Home = request.app.state.doorkeeping.home
    return home


def _directory(request: Request) -> Directory:
    directory: Directory = request.app.state.directory
    return directory
