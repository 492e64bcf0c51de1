"""The program under test: orders, each with a mail at once and another one a week later."""

from datetime import timedelta

import dibs

app = dibs.Dibs("sqlite:///shop.db")


class MailService:
    """Stands for a service that takes an idempotency key: what it has sent under a key it does not send again."""

    def __init__(self):
        self.sent = {}
        self.is_down = False

    async def send(self, to, text, *, key):
        """Send a mail, once."""
        if self.is_down:
            message = "the mail service is down"
            raise ConnectionError(message)
        self.sent.setdefault(key, f"{text} -> {to}")


mails = MailService()


@app.task("ORDER_CONFIRM")
async def confirm_order(ctx, number: int, customer: str):
    """Thank the customer, and ask for a review later. A second execution finds both enqueued already."""
    thanks = {"to": customer, "text": f"thanks for order {number}"}
    review = {"to": customer, "text": f"how was order {number}?"}
    await ctx.enqueue(send_mail, thanks, unique_key=f"thanks-{number}")
    await ctx.enqueue(send_mail, review, unique_key=f"review-{number}", delay=timedelta(days=7))
    return {"confirmed": number}


@app.task("MAIL_SEND", max_retries=5)
async def send_mail(ctx, to: str, text: str):
    """Send a mail under the job's own id, so that a second execution sends nothing."""
    await mails.send(to, text, key=ctx.job.id)
