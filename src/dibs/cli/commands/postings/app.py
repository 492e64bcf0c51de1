"""The commands of `dibs postings`."""

import typer

from dibs.cli.commands.postings import reading

app = typer.Typer(help="Postings of job boards.", no_args_is_help=False)
app.command("read")(reading.read_postings)
