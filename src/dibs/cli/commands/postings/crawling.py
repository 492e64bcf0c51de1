"""`dibs postings crawl`: read a board and keep what it says."""

from typing import TYPE_CHECKING, Annotated

import typer

from dibs.cli.commands.postings.places import DEFAULT_TENANT, on_office
from dibs.cli.commands.postings.reading import PROVIDERS, Company, need_crawl
from dibs.cli.options import AsJson, Url
from dibs.cli.printing import output

if TYPE_CHECKING:
    from dibs.apps.postings.crawl.crawling import CrawlOutcome
    from dibs.apps.postings.office import Office
    from dibs.assembly import Dibs

Provider = Annotated[str, typer.Argument(metavar="PROVIDER", help=PROVIDERS)]
Token = Annotated[str, typer.Argument(metavar="TOKEN", help="What the board is called in its address, such as acme.")]
Name = Annotated[str, typer.Option("--as", metavar="NAME", help="What we call it.", show_default="the token")]
Tenant = Annotated[str, typer.Option("--tenant", metavar="NAME", help="Whose postings they are.")]


def crawl(
    board: Provider,
    token: Token,
    name: Name = "",
    company: Company = None,
    tenant: Tenant = DEFAULT_TENANT,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Read a board now, and keep what it says.

    A posting expires only when two complete listings lacked it.
    """
    need_crawl()

    async def work(office: "Office", app: "Dibs") -> "CrawlOutcome":
        from dibs.apps.postings.crawl.crawling import CrawlOrder, crawl_board
        from dibs.apps.postings.crawl.politeness import declare_pace
        from dibs.apps.postings.tasks import make_board_sources

        sources = make_board_sources(app)
        try:
            await declare_pace(await app.backend(), board)
            order = CrawlOrder(provider=board.lower(), token=token, name=name, company=company)
            return await crawl_board(office, sources, tenant, order)
        finally:
            await sources.close()

    outcome = on_office(url, work)
    if as_json:
        output.show_json({"crawl": outcome})
        return
    changes = ", ".join(f"{count} {change}" for change, count in outcome.changes.items() if count)
    output.show_line(f"{outcome.board}: {output.plural(outcome.listed, 'posting')} listed; {changes or 'nothing'}")
    for doubt in outcome.doubts:
        output.tell(f"dibs: the listing is not complete, so nothing expires by it: {doubt}.")
