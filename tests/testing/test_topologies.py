"""Several Valkey servers act as one."""

import redis
import redis.sentinel

from dibs.testing.servers import ValkeyCluster, ValkeySentinel, ValkeyServer
from dibs.testing.servers.process import wait_until
from tests.testing.test_servers import offer_first


def test_a_cluster_serves_keys_of_every_node():
    with ValkeyCluster(nodes=3) as cluster:
        first = cluster.nodes[0]
        # Not from_url: that one forgets to close the connection it starts with.
        with redis.RedisCluster(host=first.host, port=first.port) as client:
            for number in range(100):
                client.set(f"key-{number}", number)
        held = [int(node.ask("DBSIZE")) for node in cluster.nodes]
    assert sum(held) == 100
    assert all(held)


def test_a_node_gives_up_a_taken_port_between_nodes_for_another(monkeypatch):
    with ValkeyServer() as other:
        offer_first(monkeypatch, 0, other.port)
        with ValkeyCluster(nodes=3) as cluster:
            assert other.port not in {node.bus_port for node in cluster.nodes}


def test_a_node_that_starts_again_has_its_ports_again():
    with ValkeyCluster(nodes=3) as cluster:
        node = cluster.nodes[1]
        ports = node.port, node.bus_port
        node.restart()
        assert (node.port, node.bus_port) == ports


def test_a_sentinel_promotes_the_replica_when_the_primary_is_killed():
    with ValkeySentinel() as group:
        old_port = group.primary_port()
        assert old_port == group.primary.port
        group.primary.kill()
        wait_until(lambda: group.primary_port() != old_port, "the replica is promoted")
        assert group.replica is not None
        assert group.primary_port() == group.replica.port


def test_a_sentinel_leads_a_client_to_the_primary():
    with ValkeySentinel() as group:
        assert group.sentinel is not None
        finder = redis.sentinel.Sentinel([(group.sentinel.host, group.sentinel.port)])
        assert finder.discover_master(group.primary_name) == (group.primary.host, group.primary.port)
        for client in finder.sentinels:
            client.close()
