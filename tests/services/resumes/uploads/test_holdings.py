"""A person's resumes are exported and erased with everything else about them."""

from typing import Any

import pytest

from dibs.access.directory import Directory
from dibs.access.store import add_tenant
from dibs.assembly import open_backend
from dibs.engine.personal.acting import erase_person
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.errors import BadInput
from dibs.kit.encryption.encrypted import NoCipher
from dibs.kit.encryption.keyring import Keyring
from dibs.kit.encryption.secret import Secret
from dibs.services.resumes.uploads import store
from dibs.services.resumes.uploads.desk import Desk, open_documents
from dibs.services.resumes.uploads.holdings import ResumesHolding
from dibs.services.resumes.uploads.model import Upload
from dibs.services.resumes.uploads.tasks import Finisher
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from tests.services.resumes.uploads.conftest import JANE, hand_in

RING = Keyring([Secret("k" * 44)], variable="KEYS")
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


async def test_whoever_looks_where_no_documents_are_kept_erases_nothing_that_leads_to_them(acme, tables, tmp_path):
    await hand_in(acme)
    holding, backend = ResumesHolding(tables, str(tmp_path / "elsewhere")), await open_backend("memory://")
    with pytest.raises(BadInput, match="DIBS_RESUMES_FOLDER"):
        await erase_person([holding], Inquiry("acme", ["jane.roe@example.org"]), ACT, backend)
    assert len((await acme.get("/resumes")).json()["resumes"]) == 1


async def test_resumes_that_nobody_has_read_yet_are_told_because_they_may_be_anybodys(
    acme, globex, tables, session_parser, monkeypatch
):
    monkeypatch.setattr("dibs.services.resumes.uploads.actions.FIRST_SECONDS", 0.0)
    await hand_in(acme)
    holding = ResumesHolding(tables, session_parser.settings.folder)
    told = [await holding.erase(Inquiry(tenant, ["jane.roe@example.org"]), ACT) for tenant in ("acme", "globex")]
    assert [(one.count, len(one.kept)) for one in told] == [(0, 1), (0, 0)]


async def test_who_is_named_only_in_a_correction_is_found_too(acme, tables, session_parser):
    made = await hand_in(acme)
    body = {"fields": {"basics.email": "janet@example.org"}, "reason": "misread"}
    await acme.patch(f"/resumes/{made['id']}", json=body)
    holding = ResumesHolding(tables, session_parser.settings.folder)
    assert await holding.trace(Inquiry("acme", ["janet@example.org"])) == [made["id"]]


async def test_whoever_is_named_in_somebody_elses_resume_does_not_take_it_along_and_that_is_told(
    acme, tables, session_parser
):
    work = b"<h2>Experience</h2><p>Cook, Acme Ltd, 2019</p><p>for <a href='mailto:bert@example.org'>my boss</a></p>"
    page = b"<!DOCTYPE html><html><body><h1>Jane Roe</h1><p>jane.roe@example.org</p>" + work + b"</body></html>"
    made = await hand_in(acme, page, "jane.html")
    holding = ResumesHolding(tables, session_parser.settings.folder)
    inquiry = Inquiry("acme", ["bert@example.org"])
    async with tables.reading(sight_of("acme")) as transaction:
        assert not inquiry.names(await store.find_profile(transaction, made["id"]))
    assert (await holding.trace(inquiry), await holding.find(inquiry)) == ([], [])
    told = await holding.erase(inquiry, ACT)
    [said] = told.kept
    assert (told.count, made["id"] in said) == (0, True)
    assert (await acme.get(f"/resumes/{made['id']}/document")).content == page
    # A person who looked at it gives its id.
    assert (await holding.erase(Inquiry("acme", [made["id"]]), ACT)).count == 1


async def test_who_handed_in_corrected_and_reviewed_a_resume_does_not_take_it_along(acme, tables, session_parser):
    made = await hand_in(acme)
    body = {"fields": {"basics.name": "Jane R. Roe"}, "reason": "misread", "reviewed": True}
    assert (await acme.patch(f"/resumes/{made['id']}", json=body)).status_code == 200
    holding = ResumesHolding(tables, session_parser.settings.folder)
    inquiry = Inquiry("acme", [made["uploaded_by"]])
    [given] = await holding.find(inquiry)
    assert (given.kind, given.id, set(given.data)) == ("handling", made["id"], {made["uploaded_by"]})
    assert await holding.trace(inquiry) == []
    assert (await holding.erase(inquiry, ACT)).count == 1
    assert await holding.find(inquiry) == []
    left = (await acme.get(f"/resumes/{made['id']}")).json()
    assert (left["uploaded_by"], left["reviewed_by"]) == ("[erased]", "[erased]")
    assert (await acme.get(f"/resumes/{made['id']}/document")).content == JANE


async def test_what_a_tenant_is_called_is_no_reference_to_whoever_handed_in_a_resume(acme, tables, session_parser):
    await hand_in(acme)
    holding = ResumesHolding(tables, session_parser.settings.folder)
    assert (await holding.erase(Inquiry("acme", ["acme"]), ACT)).count == 0


async def test_resumes_that_nobody_could_read_are_told_because_they_may_be_anybodys(acme, tables, session_parser):
    await hand_in(acme, b"%PDF-1.4 jane.roe@example.org and no more", "broken.pdf")
    told = await ResumesHolding(tables, session_parser.settings.folder).erase(Inquiry("acme", ["jane.roe@x.org"]), ACT)
    [said] = told.kept
    assert (told.count, said.partition(":")[0]) == (0, "1 resumes that could not be read")


async def test_files_that_were_handed_in_before_there_was_a_key_are_encrypted(url, tmp_path):
    folder = str(tmp_path / "documents")
    key = await open_documents(folder, "acme", NoCipher("KEYS")).put(JANE)
    async with Tables.at(url, cipher=RING) as tables:
        async with tables.writing(sight_of(None)) as transaction:
            await add_tenant(transaction, "acme")
        holding = ResumesHolding(tables, folder)
        assert (await holding.renew(is_dry=True)).renewed == 1
        assert (await holding.renew()).renewed == 1
        assert (await holding.renew()).renewed == 0
    documents = open_documents(folder, "acme", RING)
    assert (documents.list_plain(), documents.has_own(key)) == ([], True)
    assert await documents.get(key) == JANE


async def test_files_are_encrypted_with_the_keys_that_the_tables_have(url, engine, session_parser, monkeypatch):
    monkeypatch.delenv("DIBS_ENCRYPTION_KEYS", raising=False)
    facts: dict[str, Any] = {
        "name": "jane.txt",
        "declared": "",
        "size": 1,
        "state": "reading",
        "status": "pending",
        "person": "",
    }
    facts |= {"round": 1, "version": 1, "uploaded_by": "ann"}
    async with Tables.at(url, cipher=RING) as tables:
        documents = Desk(Directory(tables), engine, session_parser).documents("locked")
        key = await documents.put(JANE)
        assert (documents.list_plain(), documents.has_own(key)) == ([], True)
        async with tables.writing(sight_of("locked")) as transaction:
            upload = Upload(id="r", tenant="locked", document=key, created_at=transaction.now, **facts)
            await store.add_upload(transaction, upload)
        done = await Finisher(session_parser, tables).finish("locked", "r", 1, is_last=True)
    assert done["status"] in ("ok", "needs_review")
