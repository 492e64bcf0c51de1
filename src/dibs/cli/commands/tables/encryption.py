"""`dibs encryption`: what is kept under which key."""

import msgspec
import typer

from dibs.assembly import load_renewals, make_cipher
from dibs.cli.commands.tables.person import DryRun, on_holdings, tell_left_out
from dibs.cli.exits import Exit
from dibs.cli.options import Actor, AsJson, Reason, Tenant, Url, name_actor
from dibs.cli.printing import output
from dibs.engine.encryption.everywhere import renew_everything
from dibs.engine.store.moves import OperatorAct
from dibs.kit.encryption.encrypted import NoCipher
from dibs.kit.encryption.renewed import Tally
from dibs.settings import ENCRYPTION_KEYS, Settings

app = typer.Typer(help="Encryption at rest: write what is kept anew.", no_args_is_help=True)


@app.command("renew")
def renew(
    reason: Reason = "the keys were changed",
    tenant: Tenant = None,
    is_dry_run: DryRun = False,
    actor: Actor = None,
    url: Url = None,
    *,
    as_json: AsJson = False,
) -> int:
    """Write everything anew that the first key has not written.

    Workers may go on meanwhile. Leaves with 1 when something cannot be read or looked at, and says what.
    """
    if isinstance(make_cipher(Settings.from_env()), NoCipher):
        output.tell(f"dibs: {ENCRYPTION_KEYS} is not set: whatever is encrypted cannot be read.")
    act = OperatorAct(actor=name_actor(actor), reason=reason)
    code = tell_left_out()
    tallies = on_holdings(
        url,
        lambda holdings, backend: renew_everything(backend, holdings, act, tenant=tenant, is_dry=is_dry_run),
        load_renewals,
    )
    if as_json:
        output.show_json({"dry_run": is_dry_run, "found": msgspec.to_builtins(tallies)})
    else:
        for name, tally in tallies.items():
            output.show_line(_describe(name, tally, is_dry=is_dry_run))
    for where in [where for tally in tallies.values() for where in tally.named]:
        output.tell(f"dibs: cannot be read: {where}")
    return Exit.NOT_DONE if any(tally.unreadable for tally in tallies.values()) else code


def _describe(name: str, tally: Tally, *, is_dry: bool) -> str:
    done = "would be written anew" if is_dry else "written anew"
    ownerless = f", {tally.ownerless} plain and nobody's" if tally.ownerless else ""
    told = f"{tally.renewed} {done}, {tally.current} as they should be, {tally.unreadable} unreadable"
    return f"{name}: {told}{ownerless}"
