"""A posting expires only when two complete listings lacked it."""

from hypothesis import given
from hypothesis import strategies as st

from dibs.apps.postings.boards.paging import Enumeration
from dibs.apps.postings.listing import ENOUGH_MISSES, Change, Known, reconcile
from dibs.apps.postings.model import Posting, PostingState

DISCOVERED = Known(state=PostingState.DISCOVERED, digest="d")


def listing(*ids, complete=True, unread=()):
    postings = tuple(Posting(external_id=name, title="x") for name in ids)
    doubts = () if complete else ("429",)
    return Enumeration(todo=(), postings=postings, listed_ids=frozenset([*ids, *unread]), doubts=doubts)


def judge(known, found, digest="d"):
    verdicts = reconcile(known, found, {posting.external_id: digest for posting in found.postings})
    return {verdict.external_id: (verdict.change, verdict.misses) for verdict in verdicts}


def test_what_is_new_is_new_and_what_is_the_same_is_only_seen():
    assert judge({"1": DISCOVERED}, listing("1", "2")) == {"1": (Change.SEEN, 0), "2": (Change.NEW, 0)}


def test_other_content_is_a_change():
    assert judge({"1": DISCOVERED}, listing("1"), digest="other") == {"1": (Change.CHANGED, 0)}


def test_two_complete_listings_without_it_expire_a_posting():
    first = judge({"1": DISCOVERED}, listing("2"))
    assert first["1"] == (Change.MISSED, 1)
    again = judge({"1": Known(state=PostingState.DISCOVERED, digest="d", misses=1)}, listing("2"))
    assert again["1"] == (Change.EXPIRED, 2)


def test_a_listing_that_is_not_complete_expires_nothing():
    known = {"1": Known(state=PostingState.DISCOVERED, digest="d", misses=1)}
    for found in (listing("2", complete=False), listing(), Enumeration(), Enumeration(todo=())):
        assert "1" not in judge(known, found)


def test_a_posting_seen_in_between_starts_from_the_beginning():
    known = Known(state=PostingState.DISCOVERED, digest="d", misses=1)
    assert judge({"1": known}, listing("1", complete=False))["1"] == (Change.SEEN, 0)


def test_a_row_that_could_not_be_read_is_listed_all_the_same():
    assert judge({"1": DISCOVERED}, listing("2", unread=["1"]))["1"] == (Change.SEEN, 0)


def test_a_posting_that_comes_back_reopens():
    away = Known(state=PostingState.EXPIRED, digest="d", misses=2)
    assert judge({"1": away}, listing("1"))["1"] == (Change.REOPENED, 0)


def test_what_a_person_expired_while_it_was_listed_stays_so():
    assert judge({"1": Known(state=PostingState.EXPIRED, digest="d")}, listing("1"))["1"] == (Change.SEEN, 0)


def test_what_was_applied_to_or_is_being_applied_to_never_expires_by_itself():
    for known in (
        Known(state=PostingState.APPLIED, digest="d", misses=1),
        Known(state=PostingState.REJECTED, digest="d", misses=1),
        Known(state=PostingState.QUEUED, digest="d", misses=1, is_busy=True),
    ):
        assert judge({"1": known}, listing("2"))["1"] == (Change.MISSED, 2)


IDS = st.sets(st.sampled_from("abcdef"))


@given(st.lists(st.tuples(IDS, st.booleans()), max_size=12))
def test_crawling_again_changes_nothing_and_nothing_expires_without_two_complete_absences(crawls):
    known: dict[str, Known] = {}
    absences: dict[str, int] = {}
    for ids, complete in crawls:
        found = listing(*sorted(ids), complete=complete)
        for name in known:
            absences[name] = 0 if name in ids else absences.get(name, 0) + (found.is_complete)
        known = apply(known, found)
        for name, one in known.items():
            assert (one.state is PostingState.EXPIRED) is (absences.get(name, 0) >= ENOUGH_MISSES)
        settled = {name: change for name, (change, _) in judge(known, listing(*sorted(ids), complete=False)).items()}
        assert set(settled.values()) <= {Change.SEEN}


def apply(known, found):
    after = dict(known)
    states = {
        Change.EXPIRED: PostingState.EXPIRED,
        Change.NEW: PostingState.DISCOVERED,
        Change.REOPENED: PostingState.DISCOVERED,
    }
    for name, (change, misses) in judge(known, found).items():
        state = states.get(change) or known[name].state
        after[name] = Known(state=state, digest="d", misses=misses)
    return after
