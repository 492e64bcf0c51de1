"""All scenarios, in the order in which they are played."""

from dibs.errors import BadInput
from dibs.torture.scenarios.files import disk_full, locked, power_cut, small_disk
from dibs.torture.scenarios.scenario import Scenario
from dibs.torture.scenarios.servers import (
    postgres_connections_taken,
    postgres_fast_stop,
    postgres_immediate_stop,
    postgres_killed,
    postgres_session_killed,
    redis_killed,
    redis_restarted,
)
from dibs.torture.scenarios.wires import (
    cut_after_bytes,
    cut_after_commit,
    few_connections,
    half_open,
    latency,
    namespace_cut,
    one_crew_cut_off,
    resets,
    slow_drip,
    unreachable,
)
from dibs.torture.scenarios.workers import (
    clock_jumps,
    freeze,
    kill_loop,
    kill_mid_job,
    kill_on_the_brink,
    migrate_at_once,
    poison,
    pool_children,
    slow_handlers,
)

MODULES = (
    (kill_mid_job, kill_on_the_brink, kill_loop, freeze, clock_jumps, slow_handlers, poison, pool_children),
    (migrate_at_once,),
    (latency, slow_drip, resets, half_open, unreachable, cut_after_bytes, cut_after_commit, one_crew_cut_off),
    (namespace_cut, few_connections),
    (locked, disk_full, small_disk, power_cut),
    (postgres_fast_stop, postgres_immediate_stop, postgres_killed, postgres_session_killed),
    (postgres_connections_taken,),
    (redis_restarted, redis_killed),
)
SCENARIOS: dict[str, Scenario] = {module.SCENARIO.name: module.SCENARIO for modules in MODULES for module in modules}


def find_scenarios(names: list[str] | None) -> list[Scenario]:
    """Give the scenarios of these names, or all."""
    unknown = next((name for name in names or [] if name not in SCENARIOS), None)
    if unknown is not None:
        message = f"there is no scenario {unknown!r}. There are: {', '.join(SCENARIOS)}."
        raise BadInput(message)
    return [SCENARIOS[name] for name in names or SCENARIOS]
