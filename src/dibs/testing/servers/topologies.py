"""Several Valkey servers that act as one: a cluster, and a primary watched by a sentinel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from dibs.testing.servers.process import ServerProcess, closing_all, wait_until
from dibs.testing.servers.valkey import Persistence, ValkeyServer

_SLOTS = 16384


class ValkeyCluster:
    """Primaries only, with the hash slots spread evenly over them."""

    def __init__(self, nodes: int = 3, *, persistence: Persistence = "none") -> None:
        self.nodes = [_ClusterNode(persistence=persistence) for _ in range(nodes)]

    @property
    def url(self) -> str:
        """Any node leads a client to all of them."""
        return self.nodes[0].url

    @property
    def urls(self) -> list[str]:
        return [node.url for node in self.nodes]

    def start(self) -> Self:
        with closing_all(self.nodes):
            for node in self.nodes:
                node.start()
            self._assign_slots()
            self._introduce_nodes()
            wait_until(self._is_whole, "the cluster covers all slots")
        return self

    def close(self) -> None:
        _close(self.nodes)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _assign_slots(self) -> None:
        share = -(-_SLOTS // len(self.nodes))
        for number, node in enumerate(self.nodes):
            first, last = number * share, min((number + 1) * share, _SLOTS) - 1
            # Distinct epochs from the start: equal ones make the nodes argue about who owns a slot.
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", str(number + 1))
            node.ask("CLUSTER", "ADDSLOTSRANGE", str(first), str(last))

    def _introduce_nodes(self) -> None:
        for node in self.nodes[1:]:
            self.nodes[0].ask("CLUSTER", "MEET", node.host, str(node.port), str(node.bus_port))

    def _is_whole(self) -> bool:
        answers = [node.ask("CLUSTER", "INFO") for node in self.nodes]
        size = f"cluster_size:{len(self.nodes)}\r"
        return all("cluster_state:ok" in answer and size in answer for answer in answers)


class _ClusterNode(ValkeyServer):
    # Chosen, because the default, 10000 above the other port, may lie beyond the last there is.
    bus_port = 0

    def __init__(self, *, persistence: Persistence) -> None:
        super().__init__(persistence=persistence, settings={"cluster-enabled": "yes", "cluster-node-timeout": "2000"})

    def choose_ports(self) -> None:
        super().choose_ports()
        self.bus_port = self.hold_port()

    def command(self) -> Sequence[str]:
        return [*super().command(), "--cluster-port", str(self.bus_port)]


class ValkeySentinel:
    """One primary, one replica, and one sentinel that promotes the replica when the primary is gone."""

    primary_name = "dibs"

    def __init__(self, *, persistence: Persistence = "none") -> None:
        # By default a primary waits five seconds for more replicas before it sends the first its data.
        at_once = {"repl-diskless-sync-delay": "0"}
        self.primary = ValkeyServer(persistence=persistence, settings=at_once)
        self.replica: ValkeyServer | None = None
        self.sentinel: _Sentinel | None = None
        self._persistence = persistence

    @property
    def url(self) -> str:
        """The address of the sentinel, not of the primary."""
        return f"redis://{self._watcher.host}:{self._watcher.port}"

    def start(self) -> Self:
        with closing_all([self.primary]):
            self.primary.start()
            self.replica = self._make_replica()
        with closing_all([self.primary, self.replica]):
            self.replica.start()
            # A sentinel asks for replicas every ten seconds: have one there when it first asks.
            wait_until(self._is_linked, "the replica follows the primary")
            self.sentinel = _Sentinel(self.primary_name, self.primary)
        with closing_all([self.primary, self.replica, self.sentinel]):
            self.sentinel.start()
            wait_until(self._is_whole, "the sentinel knows primary and replica")
        return self

    def primary_port(self) -> int:
        """The port of the server that the sentinel now calls primary."""
        state = self._watcher.ask("INFO", "sentinel")
        address = state.split("address=", 1)[1].split(",", 1)[0]
        return int(address.rsplit(":", 1)[1])

    def close(self) -> None:
        _close([server for server in (self.sentinel, self.replica, self.primary) if server])

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _watcher(self) -> _Sentinel:
        if self.sentinel is None:
            raise RuntimeError("the sentinel is not running: call start() first")
        return self.sentinel

    def _make_replica(self) -> ValkeyServer:
        settings = {"replicaof": f"{self.primary.host} {self.primary.port}"}
        return ValkeyServer(persistence=self._persistence, settings=settings)

    def _is_linked(self) -> bool:
        # The primary says online before the replica has loaded its data; promoted then, it would be empty.
        has_data = self.replica is not None and "master_link_status:up" in self.replica.ask("INFO", "replication")
        return has_data and "state=online" in self.primary.ask("INFO", "replication")

    def _is_whole(self) -> bool:
        state = self._watcher.ask("INFO", "sentinel")
        return "status=ok" in state and "slaves=1" in state


class _Sentinel(ValkeyServer):
    name = "sentinel"

    def __init__(self, primary_name: str, primary: ValkeyServer) -> None:
        super().__init__()
        # A sentinel writes what it learns into its file, so it needs one.
        self._file = self.room / "sentinel.conf"
        self._file.write_text(
            f"sentinel monitor {primary_name} {primary.host} {primary.port} 1\n"
            f"sentinel down-after-milliseconds {primary_name} 500\n"
            f"sentinel failover-timeout {primary_name} 3000\n"
        )
        self._settings = {}

    def command(self) -> Sequence[str]:
        program, *options = super().command()
        return [program, str(self._file), "--sentinel", *options]


def _close(servers: Sequence[ServerProcess]) -> None:
    for server in servers:
        server.close()
