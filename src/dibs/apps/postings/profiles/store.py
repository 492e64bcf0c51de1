"""Every statement on profiles and their variants."""

from typing import Any

from sqlalchemy import RowMapping, delete, select, update

from dibs.apps.postings.answers import Answer
from dibs.apps.postings.profiles.model import Profile, ProfileDraft, Variant, VariantDraft, list_own
from dibs.apps.postings.tables import PROFILES, VARIANTS
from dibs.kit.codec import decode_json, encode_json
from dibs.storage.transaction import Transaction

_LIMIT = 2_000_000
MOST_LISTED = 1_000


async def find_profile(transaction: Transaction, name: str, *, is_locked: bool = False) -> Profile | None:
    """Read one profile."""
    question = select(PROFILES).where(PROFILES.c.name == name)
    row = await transaction.find(question.with_for_update() if is_locked else question)
    return None if row is None else _as_profile(row)


async def list_profiles(transaction: Transaction) -> list[Profile]:
    """Read all profiles by name."""
    rows = await transaction.fetch(select(PROFILES).order_by(PROFILES.c.name).limit(MOST_LISTED))
    return [_as_profile(row) for row in rows]


async def put_profile(transaction: Transaction, draft: ProfileDraft, actor: str) -> None:
    """Keep what a profile says; a new one begins empty."""
    now = transaction.now
    said: dict[str, Any] = {"given_by": actor, "updated_at": now}
    said |= {name: given for name in ("full_name", "contact") if (given := getattr(draft, name)) is not None}
    if draft.answers is not None:
        said["answers"] = write_answers(draft.answers)
    empty = {"full_name": draft.name, "contact": "", "answers": "{}", "created_at": now}
    if not await transaction.add_if_new(PROFILES, name=draft.name, **{**empty, **said}):
        await transaction.change(update(PROFILES).where(PROFILES.c.name == draft.name).values(**said))


def write_answers(answers: dict[str, str]) -> str:
    """Write what a profile answers, as its row has it."""
    return encode_json(answers, limit=_LIMIT, what="answers").decode()


async def forget_profile(transaction: Transaction, name: str) -> bool:
    """Take a profile out, and its variants; False when there is none. Runs keep the ids that they named."""
    await transaction.change(delete(VARIANTS).where(VARIANTS.c.profile == name))
    return await transaction.change(delete(PROFILES).where(PROFILES.c.name == name)) == 1


async def find_variant(transaction: Transaction, variant_id: str) -> Variant | None:
    """Read one variant."""
    row = await transaction.find(select(VARIANTS).where(VARIANTS.c.variant_id == variant_id))
    return None if row is None else _as_variant(row)


async def list_variants(transaction: Transaction, profile: str | None = None) -> list[Variant]:
    """Read variants by id, of one profile or of all."""
    question = select(VARIANTS).order_by(VARIANTS.c.variant_id).limit(10 * MOST_LISTED)
    if profile is not None:
        question = question.where(VARIANTS.c.profile == profile)
    return [_as_variant(row) for row in await transaction.fetch(question)]


async def put_variant(transaction: Transaction, draft: VariantDraft) -> bool:
    """Keep a variant; False when another profile has it."""
    said = {"resume": draft.resume, "note": draft.note}
    named = {"variant_id": draft.variant_id, "profile": draft.profile}
    if await transaction.add_if_new(VARIANTS, **named, **said, created_at=transaction.now):
        return True
    is_it = (VARIANTS.c.variant_id == draft.variant_id) & (VARIANTS.c.profile == draft.profile)
    return await transaction.change(update(VARIANTS).where(is_it).values(**said)) == 1


async def forget_variant(transaction: Transaction, profile: str, variant_id: str) -> bool:
    """Take a variant out; False when the profile has none of this id."""
    is_it = (VARIANTS.c.variant_id == variant_id) & (VARIANTS.c.profile == profile)
    return await transaction.change(delete(VARIANTS).where(is_it)) == 1


async def find_own_answers(transaction: Transaction, variant_id: str) -> dict[str, Answer]:
    """Read what the person whose resume it is answers, by question; nothing where nobody knows whose it is."""
    variant = await find_variant(transaction, variant_id) if variant_id else None
    profile = None if variant is None else await find_profile(transaction, variant.profile)
    return {} if profile is None else list_own(profile)


def _as_profile(row: RowMapping) -> Profile:
    facts = {name: row[name] for name in Profile.__struct_fields__ if name != "answers"}
    return Profile(**facts, answers=decode_json(row["answers"]))


def _as_variant(row: RowMapping) -> Variant:
    return Variant(**{name: row[name] for name in Variant.__struct_fields__})
