"""What random histories are made of.

All spans are equal, or half a minute apart: while a history runs, the store's clock runs too and the model's stands,
and a busy machine must not turn that into a difference. At equality both say the same: the store is never earlier.
"""

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from dibs.engine.failure import ErrorInfo
from dibs.engine.states import FINAL, State
from dibs.engine.store.moves import OnConflict, OperatorAct, UniqueRule, UniqueWhile
from dibs.engine.store.reading import JobFilter

MINUTE = timedelta(minutes=1)
# Between a finish and a prune: then "older than nothing" means the same to a clock that runs and to one that stands.
MOMENT = timedelta(milliseconds=100)
LOCKS = ("leader", "export")

NAMES = st.sampled_from([f"job-{number}" for number in range(12)])
WORKER_NAMES = ("ann", "ben", "cyd")
WORKERS = st.sampled_from(WORKER_NAMES)
TYPES = st.sampled_from(["mail", "crawl"])
QUEUES = st.sampled_from(["fast", "slow"])
TENANTS = st.sampled_from(["acme", "zeta"])
SPANS = st.sampled_from([3 * MINUTE, 7 * MINUTE, 13 * MINUTE, 31 * MINUTE])
DELAYS = st.sampled_from([timedelta(0), 5 * MINUTE, 15 * MINUTE])
AGES = st.sampled_from([timedelta(0), 9.5 * MINUTE])
PICKS = st.lists(st.integers(0, 1_000), min_size=1, max_size=4)
ERRORS = st.builds(
    ErrorInfo, type=st.sampled_from(["Boom", "Bang"]), message=st.text(max_size=5).filter(str.isprintable)
)
COSTS = st.integers(0, 5)
FINAL_STATES = st.frozensets(st.sampled_from(sorted(FINAL)))
ACTS = st.sampled_from([None, OperatorAct(actor="op", reason="space")])

# `due_in` becomes `run_at`, which is another instant on each side.
JOBS: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict[str, Any],
    id=NAMES,
    job_type=TYPES,
    queue=QUEUES,
    tenant=TENANTS,
    priority=st.integers(-2, 2),
    input=st.one_of(st.integers(), st.text(max_size=3), st.none()),
    max_retries=st.integers(0, 2),
    due_in=st.sampled_from([None, None, None, -5 * MINUTE, timedelta(0), 5 * MINUTE, 15 * MINUTE]),
    unique_key=st.sampled_from([None, None, "k", "l"]),
    concurrency_key=st.sampled_from([None, None, "host", "host:a"]),
    source=st.sampled_from([None, None, "ebay", "pcgs"]),
    parent_id=st.sampled_from([None, "job-0"]),
    max_cost_microcents=st.sampled_from([0, 0, 2, 5]),
)
BATCHES = st.lists(JOBS, min_size=1, max_size=3)
RULES = st.one_of(
    st.builds(
        UniqueRule,
        hold=st.sampled_from([UniqueWhile.PENDING, UniqueWhile.UNFINISHED]),
        on_conflict=st.sampled_from(OnConflict),
    ),
    st.builds(
        UniqueRule,
        hold=st.just(UniqueWhile.WINDOW),
        window=st.just(10 * MINUTE),
        on_conflict=st.sampled_from(OnConflict),
    ),
)
FILTERS = st.builds(
    JobFilter,
    states=st.one_of(st.none(), st.frozensets(st.sampled_from(State))),
    tenant=st.one_of(st.none(), TENANTS),
    queue=st.one_of(st.none(), QUEUES),
    job_type=st.one_of(st.none(), TYPES),
    source=st.sampled_from([None, None, "ebay"]),
    parent_id=st.sampled_from([None, None, "job-0"]),
    unique_key=st.sampled_from([None, None, "k"]),
    locked_by=st.one_of(st.none(), st.none(), WORKERS),
)
