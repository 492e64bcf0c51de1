"""What can be set for webhooks, each with its environment variable."""

import os
from collections.abc import Mapping
from datetime import timedelta

import msgspec

from dibs.errors import AddressRefused, BadInput
from dibs.kit.encryption.secret import Secret
from dibs.outside.transport.rules import MEBIBYTE, Limits, Rules
from dibs.outside.transport.target import read_target
from dibs.services.webhooks.model import LONGEST_URL
from dibs.storage.encryption.vault import Vault

KEYS = "DIBS_WEBHOOKS_KEYS"
HOSTS = "DIBS_WEBHOOKS_ALLOW_HOSTS"
# No redirect is followed: where a message goes is what its owner wrote down, and nothing else.
LIMITS = Limits(
    redirects=0,
    body_bytes=MEBIBYTE,
    wire_bytes=MEBIBYTE,
    silence=timedelta(seconds=15),
    total=timedelta(seconds=20),
)


class WebhookSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The keys that endpoints' secrets are kept with, and hosts that may lie on private addresses."""

    keys: tuple[Secret, ...] = ()
    allow_hosts: frozenset[str] = frozenset()

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "WebhookSettings":
        """Read the variables."""
        keys = tuple(Secret(key.strip()) for key in env.get(KEYS, "").split(",") if key.strip())
        hosts = frozenset(host.strip().lower() for host in env.get(HOSTS, "").split(",") if host.strip())
        return cls(keys=keys, allow_hosts=hosts)

    @property
    def rules(self) -> Rules:
        """Where messages may go."""
        return Rules(allow_hosts=self.allow_hosts, limits=LIMITS)

    def open_vault(self) -> Vault:
        """Give what secrets are kept with."""
        return Vault(self.keys, variable=KEYS)

    def fit_url(self, url: str) -> str:
        """Check where messages are to go. A name is looked up when a message is sent, each time."""
        if len(url) > LONGEST_URL:
            message = f"the URL has more than {LONGEST_URL:,} characters. Use a shorter one."
            raise BadInput(message)
        try:
            target = read_target(url)
            self.rules.check(target)
        except AddressRefused as cause:
            message = f"no messages can go there: {cause}"
            raise BadInput(message) from cause
        if target.scheme != "https" and not self.rules.allows_any_address(target.host, target.port):
            message = f"{target.origin} is not encrypted. Use https://, or let an operator allow the host in {HOSTS}."
            raise BadInput(message)
        return target.url
