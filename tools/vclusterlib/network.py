"""The links: one bridge, one veth pair per node, a token bucket at both ends of each pair."""

import json
import re
import shutil
import subprocess

from .errors import Unavailable, UsageError, VclusterError

NODE_DEVICE = "eth0"
BRIDGE_DEVICE = "br0"

# A token bucket lets a burst pass at full speed. 32 KiB is the largest size at which a 1 MB message takes the time of
# the link (8.6 ms at 1 Gbit/s); with 512 KiB it takes 4.6 ms.
BURST = "32kb"
# Queue length before packets are dropped; a switch of this class has a few MB.
QUEUE_LIMIT = "4mb"

# Number of bytes that the kernel passes over a link in one piece. Pieces larger than the bucket are split into single
# frames first, and then the two ends of every link need so much CPU time that four busy links carry 45 MB/s each
# instead of 117. The shaped rate is the same.
_MAX_FRAME_TRAIN = 30000
_RATE = re.compile(r"\d+(\.\d+)?[kmgt]?(bit|bps)", re.IGNORECASE)
_MISSING_FEATURE = re.compile(
    r"unknown device type|qdisc kind is unknown|specified qdisc|not supported|not permitted",
    re.IGNORECASE,
)


def require_tools():
    """Raises Unavailable unless iproute2 and util-linux are installed."""
    for tool, package in (("ip", "iproute2"), ("tc", "iproute2"), ("nsenter", "util-linux")):
        if shutil.which(tool) is None:
            raise Unavailable(f"'{tool}' is not installed (apt-get install {package})")


def parse_rate(text):
    """Checks a link rate; 'none' means unlimited."""
    if text != "none" and (not _RATE.fullmatch(text) or float(re.match(r"[\d.]+", text)[0]) == 0):
        raise UsageError(f"rate '{text}' is not a link rate (try 1gbit, 250mbit or none)")
    return text


def build(namespaces, subnet, rate):
    """Connects the switch namespace (first) with the node namespaces (the others)."""
    switch, *nodes = namespaces
    _bypass_packet_filter(switch)
    _run(switch, "ip link set lo up")
    _run(switch, f"ip link add {BRIDGE_DEVICE} type bridge stp_state 0 forward_delay 0")
    _run(switch, f"ip link set {BRIDGE_DEVICE} up")
    _run(switch, f"ip addr add {subnet.head}/{subnet.prefix_length} dev {BRIDGE_DEVICE}")
    for index, node in enumerate(nodes):
        port = _port(index)
        _run(node, "ip link set lo up")
        _run(switch, f"ip link add {port} type veth peer name {NODE_DEVICE} netns {node}")
        _run(switch, f"ip link set {port} master {BRIDGE_DEVICE} gso_max_size {_MAX_FRAME_TRAIN} up")
        _run(node, f"ip addr add {subnet.node(index)}/{subnet.prefix_length} dev {NODE_DEVICE}")
        _run(node, f"ip link set {NODE_DEVICE} gso_max_size {_MAX_FRAME_TRAIN} up")
    set_rate(namespaces, rate)


def _bypass_packet_filter(switch):
    """A real switch does not inspect packets, but a Linux bridge passes each one to the host's packet filter
    if that module is loaded, which costs more than forwarding it."""
    for family in ("iptables", "ip6tables", "arptables"):
        _run(switch, f"sysctl -q -e -w net.bridge.bridge-nf-call-{family}=0")


def set_rate(namespaces, rate):
    """Limits every link in both directions."""
    switch, *nodes = namespaces
    for index, node in enumerate(nodes):
        for namespace, device in ((node, NODE_DEVICE), (switch, _port(index))):
            _limit(namespace, device, rate)


def counters(namespaces):
    """Per node: bytes and packets sent and received on the link, packets its buckets dropped."""
    switch, *nodes = namespaces
    ports = {d["dev"]: d for d in _tc_json(switch)}
    rows = []
    for index, node in enumerate(nodes):
        (link,) = json.loads(_run(node, f"ip -s -j link show {NODE_DEVICE}"))
        buckets = [d for d in _tc_json(node) if d["dev"] == NODE_DEVICE]
        buckets += [ports[_port(index)]] if _port(index) in ports else []
        rows.append({
            "sent_bytes": link["stats64"]["tx"]["bytes"],
            "received_bytes": link["stats64"]["rx"]["bytes"],
            "sent_packets": link["stats64"]["tx"]["packets"],
            "received_packets": link["stats64"]["rx"]["packets"],
            "dropped_packets": sum(bucket["drops"] for bucket in buckets),
        })
    return rows


def _port(index):
    return f"port{index}"


def _limit(namespace, device, rate):
    if rate != "none":
        bucket = f"tbf rate {rate} burst {BURST} limit {QUEUE_LIMIT}"
        _run(namespace, f"tc qdisc replace dev {device} root {bucket}")
    elif any(d["dev"] == device and d["kind"] == "tbf" for d in _tc_json(namespace)):
        _run(namespace, f"tc qdisc del dev {device} root")


def _tc_json(namespace):
    return json.loads(_run(namespace, "tc -s -j qdisc show"))


def _run(namespace, command):
    """Runs an iproute2 command in a network namespace given by its path (`ip -n` needs a name)."""
    done = subprocess.run(["nsenter", f"--net={namespace}", *command.split()],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    reason = " ".join(done.stderr.split()) or f"exit status {done.returncode}"
    kind = Unavailable if _MISSING_FEATURE.search(reason) else VclusterError
    raise kind(f"'{command}' failed: {reason}")
