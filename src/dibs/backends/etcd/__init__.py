"""Named leases on etcd, through its JSON gateway. Jobs live elsewhere: etcd keeps locks, not queues.

Two keys a name: `owner`, whose revision is the fencing number, and `held`, bound to an etcd lease, which is there while
somebody holds the name. Start with `leases.py`.
"""

from dibs.backends.etcd.address import parse_address
from dibs.backends.etcd.examiner import EtcdExaminer
from dibs.backends.etcd.gateway import Gateway
from dibs.backends.etcd.leases import EtcdLeases
from dibs.engine.store.protocols import LeaseParts


async def open_leases(url: str) -> LeaseParts:
    """Make ready for the members that `url` names. Nothing is sent yet: jobs must go on when etcd is down."""
    return build_parts(Gateway(parse_address(url)))


def build_parts(gateway: Gateway) -> LeaseParts:
    """Put the parts on a gateway."""
    return LeaseParts(leases=EtcdLeases(gateway), examiner=EtcdExaminer(gateway), close=gateway.close)
