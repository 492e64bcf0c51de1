"""Personal data: giving out and erasing what is held about somebody. By POST: who it is stands in no URL."""

from starlette.responses import Response

from dibs.access.scopes import Scope
from dibs.server.actions import people
from dibs.server.call import Asked
from dibs.server.routes.prefix import PREFIX
from dibs.server.shapes.people import ErasePersonBody, ErasureShape, PersonBody
from dibs.web.answers.json import UnkeptResponse, answer
from dibs.web.doors import door, make_router, zip_door

router = make_router("people", PREFIX)
_AS_FILE = {"Content-Disposition": 'attachment; filename="person.zip"'}


@router.post("/person/export", **zip_door(Scope.PERSON_READ, refusals=(400, 409)))
async def export_person(call: Asked, body: PersonBody) -> Response:
    """Give all that is held about a person, as an archive; it may name others, too. Only for keys of no tenant."""
    return UnkeptResponse(await people.export(call, body), headers=_AS_FILE, media_type="application/zip")


@router.post("/person/erase", **door(Scope.PERSON_ERASE, ErasureShape, refusals=(400, 409)))
async def erase_person(call: Asked, body: ErasePersonBody) -> Response:
    """Erase all that is held about a person; unfinished jobs are cancelled first. Only for keys of no tenant.

    All jobs of the tenant are read for it, which takes its time. Who was interrupted asks again.
    """
    return answer(await people.erase(call, body))
