"""The commands of `dibs postings`."""

import typer

from dibs.cli.commands.postings import crawling, moving, profiling, reading, ruling

app = typer.Typer(help="Postings of job boards.", no_args_is_help=False)
app.command("read")(reading.read_postings)
app.command("crawl")(crawling.crawl)
app.command("list")(moving.list_postings)
app.command("show")(moving.show_posting)
for verb in (moving.expire, moving.reject, moving.reopen, moving.resolve, moving.approve):
    app.command(verb.__name__)(verb)
app.command("approvals")(moving.list_awaiting)
app.command("boards")(ruling.list_boards)
app.command("policy")(ruling.set_policy)
app.command("caps")(ruling.list_caps)
app.command("cap")(ruling.set_cap)
app.command("answers")(ruling.list_answers)
app.command("answer")(ruling.put_answer)
app.command("profiles")(profiling.list_profiles)
app.command("profile")(profiling.put_profile)
app.command("variants")(profiling.list_variants)
app.command("variant")(profiling.put_variant)
