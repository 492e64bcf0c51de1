"""Stores an order and its job in one transaction: both are there, or neither.

Run it with `python main.py [FILE]`. Tables and jobs share one SQLite file.
"""

import asyncio
import sys

from sqlalchemy import Column, Integer, MetaData, String, Table, func, insert, select
from sqlalchemy.ext.asyncio import create_async_engine

import dibs

FILE = sys.argv[1] if len(sys.argv) > 1 else "shop.db"
app = dibs.Dibs(f"sqlite:///{FILE}")
engine = create_async_engine(f"sqlite+aiosqlite:///{FILE}")
tables = MetaData()
orders = Table("orders", tables, Column("id", Integer, primary_key=True), Column("customer", String, nullable=False))


@app.task("RECEIPT_SEND")
async def send_receipt(order_id: int, customer: str) -> dict[str, str]:
    """Thank the customer."""
    return {"mail": f"Thanks for order {order_id}, {customer}"}


async def place_order(customer: str, *, is_paid: bool) -> None:
    """Store the order with its job; an order that is not paid takes its job along."""
    async with engine.begin() as connection:
        order_id = (await connection.execute(insert(orders).values(customer=customer))).inserted_primary_key[0]
        receipt = send_receipt.options(connection=connection)
        await receipt.enqueue(order_id=order_id, customer=customer)
        if not is_paid:
            message = f"{customer} has not paid"
            raise ValueError(message)


async def main() -> None:
    """Place two orders, of which one fails, and look at what is there."""
    async with app:
        async with engine.begin() as connection:
            await connection.run_sync(tables.create_all)
        await place_order("Ada", is_paid=True)
        try:
            await place_order("Bob", is_paid=False)
        except ValueError as error:
            print(f"rolled back: {error}")
        await app.run_worker(until_drained=True)
        async with engine.connect() as connection:
            count = await connection.scalar(select(func.count()).select_from(orders))
        jobs = await (await app.backend()).reader.list_jobs(dibs.JobFilter(), dibs.PageRequest())
        print(f"{count} order, {len(jobs.items)} job: {jobs.items[0].output['mail']}")
    await engine.dispose()


if __name__ == "__main__":
    asyncio.run(main())
