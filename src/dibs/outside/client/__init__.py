"""The client of a Dibs server: for programs that have only HTTP."""

from dibs.outside.client.client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
