"""A person's resumes are exported and erased with everything else about them."""

from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.services.resumes.uploads.holdings import ResumesHolding
from tests.services.resumes.uploads.conftest import JANE, hand_in

ACT = OperatorAct(actor="ada", reason="asked to")


async def test_a_persons_resumes_are_found_and_erased_and_nobody_elses(acme, globex, tables, session_parser):
    made = await hand_in(acme)
    other = await hand_in(acme, b"John Doe\njohn@example.org\n", "john.txt")
    theirs = await hand_in(globex)
    holding = ResumesHolding(tables, session_parser.settings.folder)
    inquiry = Inquiry("acme", ["jane.roe@example.org"])
    assert await holding.trace(inquiry) == [made["id"]]
    profile, file = await holding.find(inquiry)
    assert (profile.id, file.content) == (made["id"], JANE)
    assert (await holding.erase(inquiry, ACT)).count == 1
    assert await holding.find(inquiry) == []
    assert (await acme.get(f"/resumes/{other['id']}")).status_code == 200
    assert (await globex.get(f"/resumes/{theirs['id']}/document")).content == JANE


async def test_who_is_named_only_in_a_correction_is_found_too(acme, tables, session_parser):
    made = await hand_in(acme)
    body = {"fields": {"basics.email": "janet@example.org"}, "reason": "misread"}
    await acme.patch(f"/resumes/{made['id']}", json=body)
    holding = ResumesHolding(tables, session_parser.settings.folder)
    assert await holding.trace(Inquiry("acme", ["janet@example.org"])) == [made["id"]]
