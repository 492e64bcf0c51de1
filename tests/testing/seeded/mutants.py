"""Bugs in the real backends, one exact change of one or two files each. The suite must catch each of them.

A change that does not fit any more means that the statement was rewritten: write the same bug into the new one.
"""

import shutil
from pathlib import Path

import msgspec

PACKAGE = Path(__file__).parents[3] / "src" / "dibs"

LATE_WRITE = "test_a_late_write_is_refused_and_changes_nothing"
LATE_HEARTBEAT = "test_a_late_heartbeat_revives_nothing"
MIXED_BATCH = "test_an_old_and_a_current_lease_of_one_job_can_stand_in_one_batch"
LEFT_ALONE = "test_a_job_within_its_lease_is_left_alone"
OFFERED_AGAIN = "test_a_lapsed_claim_is_offered_again"
IN_THE_LOG = "test_a_completion_is_in_the_audit_log"
_GIVE_PLAIN = "sql/migrations/0010/claiming/give_plain_jobs.sql"
SHARED_OUT = "test_many_handles_share_the_jobs_out_without_loss_or_double"
CLOCKS_APART = "test_with_clocks_apart_a_job_is_due_at_once"
OWNER_ONLY = "test_only_the_owner_may_renew_or_release"

_UTC_NOW = '__import__("dibs.kit.clock", fromlist=["utc_now"]).utc_now()'
_MICROS_OF_CLIENTS_NOW = f"to_micros(job.run_at or {_UTC_NOW})"


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """`changes` are a file below the backend's folder, what stands there, and what is put there instead."""

    store: str
    bug: str
    caught_by: str
    changes: tuple[tuple[str, str, str], ...]

    def plant(self, folder: Path) -> None:
        """Make a copy of the package with this bug in it."""
        shutil.copytree(PACKAGE, folder / "dibs")
        for name, old, new in self.changes:
            file = folder / "dibs" / "backends" / self.store / name
            text = file.read_text()
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file.name}: {self.bug}"
            file.write_text(text.replace(old, new))


def _mutant(store: str, bug: str, caught_by: str, *changes: tuple[str, str, str]) -> Mutant:
    return Mutant(store=store, bug=bug, caught_by=caught_by, changes=changes)


SQLITE = [
    _mutant(
        "sqlite", "complete asks for no token", MIXED_BATCH,
        ("sql/ending/complete_job.sql", "lease_token = ?5", "?5 IS NOT NULL"),
        ("sql/ending/complete_known_job.sql", "lease_token = ?5", "?5 IS NOT NULL"),
    ),
    _mutant(
        "sqlite", "complete asks for no state", LATE_WRITE,
        ("sql/ending/complete_job.sql", " AND state = 'running'", ""),
        ("sql/ending/complete_known_job.sql", " AND state = 'running'", ""),
    ),
    _mutant(
        "sqlite", "heartbeat asks for the id alone", LATE_HEARTBEAT,
        ("sql/holding/renew_job.sql", "lease_token = ?2", "?2 IS NOT NULL"),
    ),
    _mutant(
        "sqlite", "fail, snooze and drop ask for no token", LATE_WRITE,
        ("sql/holding/find_held_job.sql", "lease_token = ?2", "?2 IS NOT NULL"),
    ),
    _mutant(
        "sqlite", "progress asks for no token", LATE_WRITE,
        ("sql/holding/report_progress.sql", "lease_token = ?2", "?2 IS NOT NULL"),
    ),
    _mutant(
        "sqlite", "the reaper ignores the lease", LEFT_ALONE,
        ("sql/holding/list_lapsed.sql", "lease_expires_at <= ?1", "lease_expires_at > 0 AND ?1 > 0"),
    ),
    _mutant(
        "sqlite", "a reclaim keeps the token", OFFERED_AGAIN,
        ("moves/ending.py", "taken = replace(job, lease_token=transaction.next_token(),", "taken = replace(job,"),
    ),
    _mutant(
        "sqlite", "a completion is not in the audit log", IN_THE_LOG,
        ("sql/records/add_audit_of_successes.sql", "ON jobs.id = done.value", "ON jobs.id = done.value AND 0"),
        ("sql/records/add_audit_of_known_successes.sql", "ON jobs.seq = done.value", "ON jobs.seq = done.value AND 0"),
    ),
    _mutant(
        "sqlite", "a job is stored for the client's now", CLOCKS_APART,
        ("moves/storing.py", "(now if job.run_at is None else to_micros(job.run_at))", _MICROS_OF_CLIENTS_NOW),
    ),
    _mutant(
        "sqlite", "anybody can release a named lease", OWNER_ONLY,
        ("sql/leases/release_lease.sql", "owner = ?2", "?2 IS NOT NULL"),
    ),
    _mutant(
        "sqlite", "a superseded holder gets a permit", "test_a_superseded_holder_gets_no_permit",
        ("governing/sources.py", 'transaction.find("holding/find_held_job", lease.job_id, lease.token)', "_NOBODY"),
        ("governing/sources.py", "if lease is not None and row[_SOURCE] == name:", "if row[_SOURCE:] == (name,):"),
    ),
    _mutant(
        "sqlite", "reserved permits are not counted", "test_a_reserved_permit_is_not_given_to_others",
        ("sql/sources/count_permits.sql", "permit = lease_token", "permit <> lease_token"),
    ),
    _mutant(
        "sqlite", "jobs with a key are not counted", "test_of_a_key_without_a_rule_one_job_runs_at_a_time",
        ("sql/admission/count_running_of_key.sql", "SELECT count(*)", "SELECT 0 * count(*)"),
    ),
    _mutant(
        "sqlite", "a claimed job is judged before it is held", "test_of_a_key_without_a_rule_one_job_runs_at_a_time",
        ("governing/claiming.py", "        self._judged.clear()\n", ""),
        ("governing/claiming.py", "standing = describe(self._transaction, self._book, job)",
         "standing = self.__dict__.setdefault(lane.key, describe(self._transaction, self._book, job))"),
    ),
    _mutant(
        "sqlite", "jobs of a capped tenant are not counted", "test_a_cap_holds_for_all_jobs_of_the_tenant",
        ("sql/admission/count_running_of_tenant.sql", "SELECT count(*)", "SELECT 0 * count(*)"),
    ),
    _mutant(
        "sqlite", "plain jobs ignore the gate", "test_behind_the_global_gate_nothing_starts",
        ("governing/plain.py", "if book.gates else None", "if None else None"),
    ),
    _mutant(
        "sqlite", "governed jobs ignore the gate", "test_a_gate_holds_back_what_it_stands_before_and_nothing_else",
        ("governing/standing.py", "if gate.is_shut(now) and gate.stands_before(job)", "if not gate"),
    ),
    _mutant(
        "sqlite", "a job that is put back or reclaimed frees nothing", "test_the_write_that_ends_a_job_frees_its_key",
        ("moves/records.py", "announce((job.queue,))\n    free(transaction, job)", "announce((job.queue,))"),
    ),
    _mutant(
        "sqlite", "a success frees nothing", "test_the_write_that_ends_a_job_frees_its_tenants_slot",
        ("moves/completing.py", "        settle(transaction, completions)\n", ""),
    ),
    _mutant(
        "sqlite", "what a success cost is not spent", "test_what_an_attempt_cost_is_spent_whether_it_was_good_or_bad",
        ("governing/settling.py", 'transaction.write_many("spending/pay_for_job", costs)', "pass"),
    ),
    _mutant(
        "sqlite", "turns are forgotten between claims", "test_turns_go_on_from_claim_to_claim",
        ("sql/spending/set_turn.sql", "VALUES (?1, ?2, ?3)", "VALUES (?1, ?2, 0 * ?3)"),
    ),
    _mutant(
        "sqlite", "everybody probes", "test_after_the_pause_one_job_probes_and_its_success_lets_the_others_go",
        ("governing/claiming.py", "standing.source is not None and standing.source.is_broken", "not standing"),
    ),
    _mutant(
        "sqlite", "a sealer that is too late is not told", "test_of_two_sealers_one_is_too_late",
        ("registers/audit_log.py", "return False\n    transaction.write", "return True\n    transaction.write"),
    ),
]  # fmt: skip
POSTGRES = [
    _mutant(
        "postgres", "complete asks for no token", MIXED_BATCH,
        ("sql/migrations/0004/ending/complete_jobs.sql", " AND jobs.lease_token = asked.token", ""),
    ),
    _mutant(
        "postgres", "complete asks for no state", LATE_WRITE,
        ("sql/migrations/0004/ending/complete_jobs.sql", " AND jobs.state = held_state", ""),
    ),
    _mutant(
        "postgres", "heartbeat asks for the id alone", LATE_HEARTBEAT,
        ("sql/migrations/0001/holding/heartbeat_jobs.sql", " AND jobs.lease_token = asked.token", ""),
    ),
    _mutant(
        "postgres", "claim selects first and updates later", SHARED_OUT,
        ("sql/migrations/0001/claiming/pick_lane.sql", "FOR UPDATE SKIP LOCKED", ""),
        ("sql/migrations/0001/claiming/pick_jobs.sql", "FOR UPDATE SKIP LOCKED", ""),
        # Long enough for others to come in between, on a machine of any speed.
        (_GIVE_PLAIN, "IF picked = '{}'", "PERFORM pg_sleep(0.01); IF picked = '{}'"),
    ),
    _mutant(
        "postgres", "the reaper ignores the lease", LEFT_ALONE,
        ("sql/migrations/0004/operating/reap_jobs.sql", " AND lease_expires_at <= clock()", ""),
    ),
    _mutant(
        "postgres", "a reclaim keeps the token", OFFERED_AGAIN,
        ("sql/migrations/0004/operating/reap_jobs.sql", "nextval('tokens') AS new_token", "lease_token AS new_token"),
    ),
    _mutant(
        "postgres", "a completion is not in the audit log", IN_THE_LOG,
        ("sql/migrations/0004/ending/complete_jobs.sql", "|| id FROM moved", "|| id FROM moved WHERE false"),
    ),
    _mutant(
        "postgres", "a job is stored for the client's now", CLOCKS_APART,
        ("moves/storing.py", "[job.run_at for job in jobs]", f"[job.run_at or {_UTC_NOW} for job in jobs]"),
    ),
    _mutant(
        "postgres", "a permit asks for no token", "test_a_superseded_holder_gets_no_permit",
        ("sql/migrations/0009/sources/take_permit.sql", " AND lease_token = token AND state = 'running'", ""),
    ),
    _mutant(
        "postgres", "a key counts one too few", "test_of_a_key_without_a_rule_one_job_runs_at_a_time",
        ("sql/migrations/0004/rules/find_obstacle.sql", "SELECT count(*) FROM jobs", "SELECT count(*) - 1 FROM jobs"),
    ),
    _mutant(
        "postgres", "plain jobs pass shut gates", "test_a_gate_holds_back_what_it_stands_before_and_nothing_else",
        ("sql/migrations/0004/claiming/find_open_lanes.sql", "IF has_rules AND", "IF false AND"),
    ),
    _mutant(
        "postgres", "a reclaimed job keeps its permit", "test_a_permit_that_was_not_spent_goes_back",
        ("sql/migrations/0004/operating/reap_jobs.sql", "permit = false, ", ""),
    ),
    _mutant(
        "postgres", "an end tells nobody what it frees", "test_the_write_that_ends_a_job_frees_its_key",
        ("sql/migrations/0004/lanes/settle_ends.sql", "IF news <> '{}' THEN", "IF false THEN"),
    ),
    _mutant(
        "postgres", "a spent cost is forgotten", "test_what_an_attempt_cost_is_spent_whether_it_was_good_or_bad",
        ("sql/migrations/0004/lanes/settle_ends.sql", "WHERE ended.cost > 0", "WHERE false"),
    ),
    _mutant(
        "postgres", "the probe is given to everybody",
        "test_after_the_pause_one_job_probes_and_its_success_lets_the_others_go",
        ("sql/migrations/0015/claiming/settle_claim.sql", "probe_job = job_id,", "probe_job = NULL,"),
    ),
]  # fmt: skip
REDIS = [
    _mutant(
        "redis", "complete asks for neither token nor state", LATE_WRITE,
        (
            "lua/moves/complete.lua", "local scores = call('ZMSCORE', RUNNING, unpack(asked, removed + 1))",
            "local scores = {} for index = 1, #asked - removed do scores[index] = '1' end",
        ),
    ),
    _mutant(
        "redis", "fail, snooze and drop ask for neither token nor state", LATE_WRITE,
        ("lua/parts/ends.lua", "call('ZREM', RUNNING, member) == 0", "call('ZREM', RUNNING, member) < 0"),
    ),
    _mutant(
        "redis", "heartbeat asks for the id alone", LATE_HEARTBEAT,
        ("lua/moves/heartbeat.lua", "local is_held = call('ZSCORE', RUNNING, ARGV[index])", "local is_held = true"),
    ),
    _mutant(
        "redis", "a claimed job stays in line", "test_a_batch_takes_no_more_than_asked",
        ("lua/parts/opening.lua", "    leave_lane(lane)\n", ""),
    ),
    _mutant(
        "redis", "the reaper ignores the lease", LEFT_ALONE,
        ("lua/moves/reap.lua", "RUNNING, '-inf', now,", "RUNNING, '-inf', '+inf',"),
    ),
    _mutant(
        "redis", "a reclaim keeps the token", OFFERED_AGAIN,
        ("lua/moves/reap.lua", "job.token = next_token()", ""),
    ),
    _mutant(
        "redis", "a completion is not in the audit log", IN_THE_LOG,
        ("lua/moves/complete.lua", "write_audit()", ""),
    ),
    _mutant(
        "redis", "a job is stored for the client's now", CLOCKS_APART,
        ("moves/storing.py", "False if job.run_at is None else to_micros(job.run_at)", _MICROS_OF_CLIENTS_NOW),
    ),
    _mutant(
        "redis", "a permit is given to a superseded holder", "test_a_superseded_holder_gets_no_permit",
        ("lua/sources/take_permit.lua", "member ~= '' and not call('ZSCORE', RUNNING, member)", "false"),
    ),
    _mutant(
        "redis", "a permit once reserved is given to others", "test_a_reserved_permit_is_not_given_to_others",
        ("lua/sources/take_permit.lua", "call('SCARD', holders) - call('SISMEMBER', holders, id)", "0"),
    ),
    _mutant(
        "redis", "a key is counted without what the same claim gives",
        "test_of_a_key_without_a_rule_one_job_runs_at_a_time",
        ("lua/claiming/giving.lua", "  hold(fixed, job.id)\n", ""),
    ),
    _mutant(
        "redis", "the gate of a tenant is ignored", "test_jobs_behind_a_tenants_gate_are_passed_by_those_of_others",
        ("lua/governed/rules.lua", " or find_rule('gate:tenant:' .. tenant) ~= nil", ""),
    ),
    _mutant(
        "redis", "a gate never expires", "test_a_gate_opens_by_itself_when_it_expires",
        ("lua/governed/obstacles.lua", "not gate[GATE_EXPIRES] or now < gate[GATE_EXPIRES]", "true"),
    ),
    _mutant(
        "redis", "what a job held is not freed by the write that ends it",
        "test_the_write_that_ends_a_job_frees_its_key",
        ("lua/parts/ends.lua", "  let_go(job.fixed, member)\n", ""),
    ),
    _mutant(
        "redis", "a reservation is not released", "test_the_end_of_an_attempt_releases_its_reservation",
        ("lua/governed/holders.lua", "    reserve(fixed[TENANT], '-', fixed[MAX_COST])\n", ""),
    ),
    _mutant(
        "redis", "who waits for a permit is not let out", "test_a_permit_that_was_not_spent_goes_back",
        ("lua/governed/holders.lua", "  free_thing(thing)\n", ""),
    ),
    _mutant(
        "redis", "a probe is not noted", "test_a_probe_that_ends_without_a_word_lets_another_try",
        ("lua/moves/claim.lua", "call('HSET', key('probes'), probe_of[id], member)", ""),
    ),
    _mutant(
        "redis", "any success closes the breaker", "test_a_late_success_of_another_job_does_not_close_the_breaker",
        ("lua/sources/report.lua", "local is_probe = token ~= 0 and", "local is_probe = true or"),
    ),
    _mutant(
        "redis", "turns are not kept from claim to claim", "test_turns_go_on_from_claim_to_claim",
        ("lua/governed/turns.lua", "  call('HSET', key('turns:', queue), tenant, text(reached + turn))\n", ""),
    ),
    _mutant(
        "redis", "jobs stored before a queue became fair are served as before",
        "test_jobs_stored_before_the_queue_became_fair_take_turns_too",
        ("lua/admission/relane.lua", "if is_governed(queue, tenant) then", "if false then"),
        ("lua/parts/opening.lua", "is_governing and hooks.is_fair(string.match(name, '^[^\\31]*'))", "false"),
    ),
    _mutant(
        "redis", "what was spent yesterday counts today", "test_a_new_day_has_its_own_budget_and_the_month_goes_on",
        ("lua/governed/obstacles.lua", "day >= today and tonumber", "tonumber"),
    ),
    _mutant(
        "redis", "of two sealers both seal", "test_of_two_sealers_one_is_too_late",
        ("lua/seals/seal.lua", "if position ~=", "if false and position ~="),
        ("lua/seals/seal.lua", "sequence <= mark or (has_apart and is_sealed(sequence, mark))", "false"),
    ),
]  # fmt: skip
MUTANTS = [*SQLITE, *POSTGRES, *REDIS]
