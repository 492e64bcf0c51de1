"""The commands of `dibs postings`."""

import typer

from dibs.cli.commands.postings import crawling, moving, reading

app = typer.Typer(help="Postings of job boards.", no_args_is_help=False)
app.command("read")(reading.read_postings)
app.command("crawl")(crawling.crawl)
app.command("list")(moving.list_postings)
app.command("show")(moving.show_posting)
for verb in (moving.expire, moving.reject, moving.reopen, moving.resolve, moving.approve):
    app.command(verb.__name__)(verb)
