"""Telling others what happened: signed messages to endpoints, in the Standard Webhooks way."""
