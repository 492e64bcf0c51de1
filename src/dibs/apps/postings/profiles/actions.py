"""What people do with profiles and their variants. One transaction each."""

from msgspec import Struct

from dibs.apps.postings import store as posting_store
from dibs.apps.postings.answers import question_key
from dibs.apps.postings.claims import store as run_store
from dibs.apps.postings.office import Office
from dibs.apps.postings.profiles import store
from dibs.apps.postings.profiles.model import (
    Profile,
    ProfileDraft,
    Variant,
    VariantDraft,
    check_profile,
    check_variant,
)
from dibs.apps.postings.records import By
from dibs.apps.postings.variants import Outcome, VariantMeasure, measure_together, measure_variants
from dibs.errors import BadInput, ProfileNotFound, RecordMoved
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction


class ProfileStory(Struct, frozen=True, kw_only=True):
    """A profile with its variants, how each of them does, and how they do together."""

    profile: Profile
    variants: list[Variant]
    measures: dict[str, VariantMeasure]
    together: VariantMeasure


async def put_profile(
    office: Office, tenant: str, draft: ProfileDraft, by: By, *, expected: ProfileStory | None = None
) -> ProfileStory:
    """Keep what a profile is to say; what is not named stays as it is, and a new one needs a full name.

    With `expected`, only if it and its variants still say the same.
    """
    check_profile(draft)
    async with office.tables.writing(sight_of(tenant)) as transaction:
        await _check_unmoved(transaction, draft.name, expected)
        if draft.full_name is None and await store.find_profile(transaction, draft.name) is None:
            message = f"there is no profile {draft.name!r} yet. Give the full name of the person, too."
            raise BadInput(message)
        await store.put_profile(transaction, draft, by.actor)
        await _note(transaction, "PROFILE_SET", draft.name, by)
        story = await _tell(transaction, draft.name)
    await office.forward_acts(tenant)
    return story


async def answer_for(office: Office, tenant: str, name: str, given: dict[str, str], by: By) -> ProfileStory:
    """Add answers to a profile's own; one to a question in other words takes the other's place."""
    async with office.tables.writing(sight_of(tenant)) as transaction:
        profile = await store.find_profile(transaction, name, is_locked=True)
        if profile is None:
            raise _not_found(name)
        keys = {question_key(question) for question in given}
        kept = {question: value for question, value in profile.answers.items() if question_key(question) not in keys}
        draft = ProfileDraft(name=name, answers=kept | given)
        check_profile(draft)
        await store.put_profile(transaction, draft, by.actor)
        await _note(transaction, "PROFILE_SET", name, by)
        story = await _tell(transaction, name)
    await office.forward_acts(tenant)
    return story


async def forget_profile(office: Office, tenant: str, name: str, by: By) -> None:
    """Take a profile out, with its variants and answers. What its runs left stays: to erase a person is another act."""
    async with office.tables.writing(sight_of(tenant)) as transaction:
        if not await store.forget_profile(transaction, name):
            raise _not_found(name)
        await _note(transaction, "PROFILE_FORGOTTEN", name, by)
    await office.forward_acts(tenant)


async def put_variant(
    office: Office, tenant: str, draft: VariantDraft, by: By, *, expected: ProfileStory | None = None
) -> ProfileStory:
    """Say whose resume a variant is, and where it is; with `expected`, only if the profile still says the same."""
    check_variant(draft)
    async with office.tables.writing(sight_of(tenant)) as transaction:
        await _check_unmoved(transaction, draft.profile, expected)
        if await store.find_profile(transaction, draft.profile, is_locked=True) is None:
            raise _not_found(draft.profile)
        if not await store.put_variant(transaction, draft):
            message = f"variant {draft.variant_id!r} belongs to another profile. Choose another id, or forget it there."
            raise BadInput(message)
        await _note(transaction, "VARIANT_SET", draft.profile, by, variant_id=draft.variant_id)
        story = await _tell(transaction, draft.profile)
    await office.forward_acts(tenant)
    return story


async def forget_variant(office: Office, tenant: str, named: tuple[str, str], by: By) -> ProfileStory:
    """Take a variant of a profile out; the runs that named it are still counted."""
    name, variant_id = named
    async with office.tables.writing(sight_of(tenant)) as transaction:
        await store.find_profile(transaction, name, is_locked=True)
        if not await store.forget_variant(transaction, name, variant_id):
            message = f"profile {name!r} has no variant {variant_id!r}. List the profiles to see those that it has."
            raise ProfileNotFound(message)
        await _note(transaction, "VARIANT_FORGOTTEN", name, by, variant_id=variant_id)
        story = await _tell(transaction, name)
    await office.forward_acts(tenant)
    return story


async def find_profile(office: Office, tenant: str, name: str) -> ProfileStory:
    """Read a profile, and how its variants do."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        return await _tell(transaction, name)


async def list_profiles(office: Office, tenant: str) -> list[ProfileStory]:
    """Read all profiles by name, and how their variants do."""
    async with office.tables.reading(sight_of(tenant)) as transaction:
        profiles, variants = await store.list_profiles(transaction), await store.list_variants(transaction)
        counts = await run_store.count_outcomes(transaction)
    return [_join(profile, variants, counts) for profile in profiles]


async def _check_unmoved(transaction: Transaction, name: str, expected: ProfileStory | None) -> None:
    """Refuse if a profile is not what it was. All that changes it or its variants locks its row first."""
    if expected is None:
        return
    found = await store.find_profile(transaction, name, is_locked=True)
    if found != expected.profile or await store.list_variants(transaction, name) != expected.variants:
        raise RecordMoved(f"profile {name}")


async def _tell(transaction: Transaction, name: str) -> ProfileStory:
    profile = await store.find_profile(transaction, name)
    if profile is None:
        raise _not_found(name)
    variants = await store.list_variants(transaction, name)
    return _join(profile, variants, await run_store.count_outcomes(transaction))


def _join(profile: Profile, variants: list[Variant], counts: list[Outcome]) -> ProfileStory:
    own = [variant for variant in variants if variant.profile == profile.name]
    ids = {variant.variant_id for variant in own}
    counted = [count for count in counts if count[0] in ids]
    return ProfileStory(
        profile=profile,
        variants=own,
        measures={one.variant_id: one for one in measure_variants(counted, also=ids)},
        together=measure_together(counted),
    )


async def _note(transaction: Transaction, action: str, name: str, by: By, *, variant_id: str | None = None) -> None:
    # The name alone: who somebody is and what they answer has no business in a log.
    subject = f"profile:{name}" if variant_id is None else f"profile:{name}:{variant_id}"
    await posting_store.add_act(transaction, subject, action, actor=by.actor, reason=by.reason)


def _not_found(name: str) -> ProfileNotFound:
    message = f"there is no profile {name[:80]!r}. List the profiles to see which there are."
    return ProfileNotFound(message)
