"""Options that several commands share."""

import getpass
import os
from typing import Annotated

import typer

Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="URL",
        help="The store of jobs: sqlite:///file.db, postgresql://… or redis://…",
        show_default="$DIBS_URL, else dibs.db in $DIBS_DATA, else here",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
AppPath = Annotated[
    str | None,
    typer.Option("--app", envvar="DIBS_APP", metavar="MODULE:APP", help="Where the app is, such as shop.tasks:app."),
]
Tenant = Annotated[str | None, typer.Option("--tenant", metavar="NAME", help="Only this tenant.")]
JobType = Annotated[str | None, typer.Option("--type", metavar="NAME", help="Only jobs of this type.")]
Actor = Annotated[
    str | None,
    typer.Option("--actor", metavar="NAME", help="Who does it, for the audit log.", show_default="your login name"),
]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for the audit log.")]
WhyNot = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for the audit log.", show_default=False)]
OfTenant = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="Whose it is. Say this, or --all-tenants.")
]
Everywhere = Annotated[
    bool, typer.Option("--all-tenants", help="It belongs to the installation, and may name any tenant.")
]


def name_actor(given: str | None) -> str:
    """Name the person at the keyboard, unless told whom to name."""
    if given is not None:
        return given
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return f"uid:{os.getuid()}"
