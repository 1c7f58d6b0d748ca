#!/usr/bin/env python3
"""What the plugin promises, against the real OpenSM on ibsim's switches: scenarios.py NAME."""

import os
import re
import sys
from pathlib import Path

from simulation import Simulation, probe, resident_kib

FULL = os.environ.get("FULL") == "1"


def distinct_mlids(mlids):
    return len({line.split()[1] for line in Path(mlids).read_text().splitlines()})


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def sharing():
    """Groups with disjoint trees share an MLID, packets reach exactly the right hosts, and sweeps change nothing."""
    with Simulation("fat-tree:ports=8", plugin_options="members=8 gather=300") as subnet:
        groups = subnet.make_groups("grid:8x16")
        mlids = subnet.join(subnet.make_groups("grid:8x16"))
        metrics = subnet.verify(groups, mlids, 1024)
        print(metrics)
        expect(distinct_mlids(mlids) < 24, f"{distinct_mlids(mlids)} MLIDs for 24 groups")
        before = subnet.tables().read_text()
        subnet.sweep()
        expect(subnet.tables().read_text() == before, "a heavy sweep changed the tables")
        subnet.probe("leave", subnet.net, groups)
        expect(subnet.tables().read_text() == "", "entries are left behind when all have left")
        expect(subnet.stop_opensm() == 0, "OpenSM did not end well")


def small_tables():
    """160 groups in tables of 128 entries: too many for OpenSM alone, not for the plugin."""
    fabric, pattern = "torus:size=4x4x4,hosts=2", "random:groups=160,size=3,seed=7"
    with Simulation(fabric, engine="minhop", table=128) as subnet:
        refused = subnet.probe("join", subnet.net, subnet.make_groups(pattern), check=False)
        expect(refused.returncode == 2, "OpenSM alone was expected to run out of MLIDs")
    with Simulation(fabric, plugin_options="members=3", table=128) as subnet:
        groups = subnet.make_groups(pattern)
        print(subnet.verify(groups, subnet.join(groups), 128))


def merging():
    """Far too few MLIDs: similar groups share a tree, and every packet still arrives."""
    for options in ("members=5 colours=8", "members=5 colours=8 merge=rebuild", "gather=200 colours=3"):
        with Simulation("torus:size=4x4x4,hosts=2", plugin_options=options, table=128) as subnet:
            groups = subnet.make_groups("random:groups=160,size=5,seed=7")
            mlids = subnet.join(groups)
            print(options, subnet.verify(groups, mlids, 128))
            subnet.sweep()
            subnet.verify(groups, mlids, 128)
            subnet.probe("leave", subnet.net, groups)
            expect(subnet.tables().read_text() == "", "entries are left behind when all have left")


def failures():
    """A switch that fails takes only its groups to other ways; they keep their MLIDs, also when it is back."""
    with Simulation("fat-tree:ports=8", plugin_options="members=16") as subnet:
        groups = subnet.make_groups("grid:16x8")
        mlids = subnet.join(groups)
        subnet.verify(groups, mlids, 1024)
        before = by_mlid(subnet.tables().read_text())
        victim = busiest_without_hosts(subnet.net.read_text(), subnet.tables().read_text())
        used = {mlid for mlid, ports in before.items() if any(switch == victim for switch, _ in ports)}
        expect(used, "the victim carries nothing")
        subnet.command(f'Unlink "S-{victim:016x}"')
        subnet.sweep()
        damaged = without(subnet.net, victim)
        print(subnet.verify(groups, mlids, 1024, net=damaged))
        after = by_mlid(subnet.tables(damaged).read_text())
        changed = {mlid for mlid in before if before[mlid] != after.get(mlid)}
        expect(changed <= used, f"groups changed that did not use the switch: {changed - used}")
        subnet.command(f'ReLink "S-{victim:016x}"')
        subnet.sweep()
        subnet.verify(groups, mlids, 1024)


def lost_hosts():
    """A leaf fails with its hosts: OpenSM drops them from their groups, and groups that were all there end."""
    with Simulation("fat-tree:ports=4", plugin_options="members=2", table=64) as subnet:
        groups = subnet.make_groups("random:groups=30,size=2,seed=11")
        mlids = subnet.join(groups)
        subnet.verify(groups, mlids, 64)
        leaf = 0x0010000000000002  # with the third and the fourth host; OpenSM runs on the first
        subnet.command(f'Unlink "S-{leaf:016x}"')
        subnet.sweep()
        lost = {f"0x{number:016x}" for number in (0x0020000000000006, 0x0020000000000008)}
        rest = {line.split()[0]: [word for word in line.split()[1:] if word not in lost]
                for line in groups.read_text().splitlines() if not line.startswith("#")}
        expect(any(not members for members in rest.values()), "no group was all on that leaf")
        left = subnet.path / "left"
        left.write_text("".join(f"{mgid} {' '.join(members)}\n" for mgid, members in rest.items() if members))
        told = subnet.path / "told"
        told.write_text("".join(line + "\n" for line in mlids.read_text().splitlines() if rest[line.split()[0]]))
        print(subnet.verify(left, told, 64, net=without(subnet.net, leaf)))
        subnet.probe("leave", subnet.net, left)
        subnet.stop_opensm()
        expect("0 groups in 0 MLIDs at the end" in subnet.log_text(), "the plugin still knows groups")


def late_members():
    """Members that come later and go earlier: the MLID stays what it was."""
    with Simulation("random:switches=16,ports=8,hosts=3,seed=3", plugin_options="gather=200", table=64) as subnet:
        groups = subnet.make_groups("random:groups=40,size=6,seed=2")
        lines = groups.read_text().splitlines()
        early = subnet.path / "early"
        early.write_text("".join(" ".join(line.split()[:4]) + "\n" for line in lines if not line.startswith("#")))
        late = subnet.path / "late"
        late.write_text("".join(" ".join(line.split()[:1] + line.split()[4:]) + "\n" for line in lines if not line.startswith("#")))
        told = subnet.join(early).read_text()
        expect(subnet.join(late).read_text() == told, "late members were told other MLIDs")
        mlids = subnet.path / "mlids"
        print(subnet.verify(groups, mlids, 64))
        subnet.probe("leave", subnet.net, late)
        subnet.verify(early, mlids, 64)


def cycles():
    """Groups that come and go for long leave no MLID, no entry and no memory behind."""
    rounds = 10000 if FULL else 100
    with Simulation("torus:size=3x3,hosts=2", plugin_options="members=3 gather=50", table=64) as subnet:
        groups = subnet.make_groups("grid:3x3")
        subnet.probe("cycle", subnet.net, groups, rounds // 10, timeout=3000)
        before = resident_kib(subnet.opensm.pid)
        print(subnet.probe("cycle", subnet.net, groups, rounds, timeout=3000).stdout.strip())
        growth = resident_kib(subnet.opensm.pid) - before
        expect(growth < 2048, f"OpenSM grew by {growth} KiB in {rounds} rounds")
        expect(subnet.tables().read_text() == "", "entries are left behind")
        subnet.stop_opensm()
        expect("0 groups in 0 MLIDs at the end" in subnet.log_text(), "the plugin still knows groups")


def restart():
    """After a restart, members that join again get tables that deliver."""
    with Simulation("fat-tree:ports=4", plugin_options="members=4", configuration=["sa_db_dump TRUE"]) as subnet:
        groups = subnet.make_groups("grid:4x4")
        subnet.join(groups)
        expect(subnet.stop_opensm() == 0, "OpenSM did not end well")
        subnet.start_opensm()
        subnet.sweep()  # also reads the groups of before
        mlids = subnet.join(groups)
        metrics = subnet.verify(groups, mlids, 1024)
        print(metrics)
        expect(distinct_mlids(mlids) < 8, "groups of before have an MLID each")


def hand_over():
    """A second OpenSM takes over when the first ends; members that join again get tables that deliver."""
    with Simulation("fat-tree:ports=4", plugin_options="members=4",
                    configuration=["sm_priority 10", "sminfo_polling_timeout 1000", "polling_retry_number 2"]) as subnet:
        groups = subnet.make_groups("grid:4x4")
        subnet.join(groups)
        standby = subnet.start_standby("H-0020000000000007")
        try:
            standby.wait_for_log("Entering STANDBY state")
            standby.pause_between_polls()
            expect(subnet.stop_opensm() == 0, "the first OpenSM did not end well")
            standby.resume()
            standby.wait_for_log("SUBNET UP")
            print(subnet.verify(groups, subnet.join(groups), 1024))
        finally:
            status = standby.end()
        expect(status == 0, "the second OpenSM did not end well")


def options():
    """Every unicast engine underneath; an unknown option disables the plugin, not OpenSM."""
    for base in ("minhop", "updn", "ftree", "dfsssp"):
        with Simulation("fat-tree:ports=4", plugin_options=f"base={base} merge=rebuild members=4 colours=20") as subnet:
            groups = subnet.make_groups("grid:4x4")
            print(base, subnet.verify(groups, subnet.join(groups), 1024))
    with Simulation("torus:size=3x3,hosts=2", plugin_options="base=ftree members=3") as subnet:
        mlids = subnet.join(subnet.make_groups("grid:3x3"))
        expect(distinct_mlids(mlids) == 6, "OpenSM has fallen back to minhop, and was expected to work alone")
    with Simulation("fat-tree:ports=4", plugin_options="colours=many") as subnet:
        expect("'colours=many': expected colours=0 to 16383" in subnet.log_text(), "no line about the bad option")
        subnet.join(subnet.make_groups("grid:4x4"))


def baselines():
    """The baselines of `tutti fabric`, bit for bit against the tables that OpenSM makes alone, and its dump, byte for byte."""
    fabrics = ["fat-tree:ports=4", "torus:size=4x4,hosts=2", "dragonfly:a=4,p=2,h=2", "random:switches=16,ports=8,hosts=3,seed=5"]
    if FULL:
        fabrics.append("torus:size=17x16,hosts=1")  # more switches than a byte counts: OpenSM sorts GUIDs by the last one
    for engine, baseline in (("minhop", "minhop"), ("sssp", "sssp")):
        for fabric in fabrics:
            with Simulation(fabric, engine=engine) as subnet:
                groups = subnet.make_groups("random:groups=24,size=5,seed=1")
                subnet.join(groups)
                dump = subnet.tables().read_text()
                expect((subnet.path / "opensm.mcfdbs").read_text() == dump, f"{engine} on {fabric}: OpenSM dumps it another way")
                real = by_group(dump, subnet.path / "mlids")
                ours = by_mlid(probe("baseline", subnet.net, groups, baseline))
                ours = [ours[mlid] for mlid in sorted(ours)]
                differing = sum(a != b for a, b in zip(real, ours))
                print(engine, fabric, f"{len(ours)} groups, {differing} differ")
                expect(differing == 0, f"{engine} on {fabric}: {differing} of {len(ours)} groups differ")


# --- tables as text ---


def by_mlid(dump):
    """MLID -> the (switch, ports) that it has in a dump."""
    found, switch = {}, None
    for line in dump.splitlines():
        if match := re.match(r"Switch (\S+)", line):
            switch = int(match.group(1), 16)
        elif match := re.match(r"(0x\S+)\s*:\s*(.*)", line):
            found.setdefault(int(match.group(1), 16), set()).add((switch, match.group(2).strip()))
    return found


def by_switch(dump):
    """Switch -> how many entries it has."""
    counts = {}
    for entries in by_mlid(dump).values():
        for switch, _ in entries:
            counts[switch] = counts.get(switch, 0) + 1
    return counts


def busiest_without_hosts(net, dump):
    """The switch with the most entries among those without hosts."""
    switches = re.split(r"\n(?=switchguid)", net)
    candidates = {int(re.match(r"\s*switchguid=(\S+)", text).group(1), 16) for text in switches
                  if "switchguid" in text and '"H-' not in text.split("caguid")[0]}
    counts = by_switch(dump)
    return max(candidates, key=lambda switch: counts.get(switch, 0))


def without(path, switch):
    """A copy of a net file without the cables of one switch."""
    name = f'"S-{switch:016x}"'
    kept, is_inside = [], False
    for line in path.read_text().splitlines():
        if re.match(r"(Switch|Ca|Hca)\s", line):
            is_inside = line.split()[2] == name
        if line.startswith("[") and (is_inside or name in line):
            continue
        kept.append(line)
    damaged = path.with_name("net-damaged")
    damaged.write_text("\n".join(kept) + "\n")
    return damaged


def by_group(dump, mlids):
    tables = by_mlid(dump)
    return [tables[int(line.split()[1], 16)] for line in Path(mlids).read_text().splitlines()]


if __name__ == "__main__":
    globals()[sys.argv[1]]()
