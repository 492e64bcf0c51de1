"""Ways of breaking things, each of them real: wires, processes, servers, disks, clocks."""
