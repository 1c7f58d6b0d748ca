#!/usr/bin/env bash
# Test of tools/vcluster: nodes, wires, exit statuses and, above all, that nothing is left behind.
# Exit status: 0 passed, 1 failed, 77 skipped (no root, no namespaces, no MPI).
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
vcluster=$here/../../tools/vcluster
name=vct$$
other=vct$$-b
failed=0
mpis=()
scratch=$(mktemp -d)
chmod 755 "$scratch"
# Every process that descends from this script carries the mark, wherever it went.
export VCLUSTER_TEST_MARK=mark-$$-$RANDOM

clean_up() {
  "$vcluster" down --name "$name" 2>/dev/null
  "$vcluster" down --name "$other" 2>/dev/null
  rm -rf "$scratch"
}
trap clean_up EXIT

check() { # check WHAT EXPECTED ACTUAL
  if [[ $2 == "$3" ]]; then
    echo "ok      $1"
  else
    echo "FAILED  $1: expected '$2', got '$3'"
    failed=1
  fi
}

skip() {
  echo "skipped: $1"
  exit 77
}

build_probes() {
  local mpi
  for mpi in mpich openmpi; do
    command -v "mpicc.$mpi" >/dev/null && command -v "mpirun.$mpi" >/dev/null || continue
    "mpicc.$mpi" -O1 -Wall "$here/vcluster_probe.c" -o "$scratch/probe-$mpi" || exit 1
    mpis+=("$mpi")
  done
  ((${#mpis[@]})) || skip "no MPI with its compiler wrapper"
  cc -shared -fPIC "$here/vcluster_preload.c" -o "$scratch/preload.so" || exit 1
}

run() { # run ARGS-OF-RUN...: on the first cluster, never longer than 20 s
  timeout -k 2 20 "$vcluster" run --name "$name" "$@" 2>>"$scratch/stderr"
}

# Marked processes, one command line each, without this script, its subshells and the search itself.
marked_processes() {
  local file pid
  for file in $(grep -lzx "VCLUSTER_TEST_MARK=$VCLUSTER_TEST_MARK" /proc/[0-9]*/environ 2>/dev/null); do
    pid=${file//[!0-9]/}
    tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -v -e vcluster_test.sh -e "^grep "
  done 2>/dev/null
}

# Lists the remains of jobs and clusters, after waiting up to 5 s for none; the keeper of the cluster that stays up is
# not counted.
leavings() {
  local found
  for _ in $(seq 50); do
    found=$(marked_processes | grep -v "^tutti-vcluster:$name infinity")
    [[ -z $found ]] && break
    sleep 0.1
  done
  echo "$found$(grep tutti-vcluster /proc/self/mountinfo)$(ls -d /tmp/ompi."$name"* 2>/dev/null)"
}

namespaces_of_node() { # links like net:[4026532300]
  "$vcluster" exec --name "$name" --node "$1" -- sh -c 'for n in net uts ipc mnt pid; do readlink /proc/self/ns/$n; done'
}

namespace_exists() { # namespace_exists LINK: whether any process or descriptor has it
  find /proc/[0-9]*/ns /proc/[0-9]*/fd -lname "$1" -print -quit 2>/dev/null | grep -q .
}

test_nodes() {
  local mpi
  for mpi in "${mpis[@]}"; do
    check "$mpi: 8 ranks, 2 share a node" "ranks 8 node_ranks 2" "$(run -- "$scratch/probe-$mpi" groups)"
    check "$mpi: 4 ranks, 1 per node" "ranks 4 node_ranks 1" "$(run --ppn 1 -- "$scratch/probe-$mpi" groups)"
    check "$mpi: plain mpirun under exec" "ranks 8 node_ranks 2" \
      "$(timeout -k 2 20 "$vcluster" exec --name "$name" -- "mpirun.$mpi" -n 8 "$scratch/probe-$mpi" groups 2>>"$scratch/stderr")"
    check "$mpi: environment of ranks" "7 7" \
      "$(run --mpi "$mpi" -n 2 --env VCT=7 -- sh -c 'echo "$VCT"' | paste -sd' ')"
    check "$mpi: working directory of ranks" "$scratch" "$(cd "$scratch" && run --mpi "$mpi" -n 1 -- pwd)"
    run -- "$scratch/probe-$mpi" exit 3 >/dev/null
    check "$mpi: exit status of the program" 3 $?
    check "$mpi: beside a library in LD_PRELOAD" "8" \
      "$(run --env LD_PRELOAD="$scratch/preload.so" -- "$scratch/probe-$mpi" exchange | grep -o wrapped | wc -l)"
  done
  check "host names" "$name-n1" "$("$vcluster" exec --name "$name" --node 1 -- hostname)"
  check "two nodes have two boot ids" 2 "$(for i in 0 3; do
    "$vcluster" exec --name "$name" --node $i -- cat /proc/sys/kernel/random/boot_id
  done | sort -u | wc -l)"
  check "nodes have processors of their own, or share all" $(($(nproc) < 4 ? 1 : 4)) "$(processor_lists "$name" 4)"
}

processor_lists() { # processor_lists NAME NODES: how many different ones its nodes have
  local i
  for ((i = 0; i < $2; ++i)); do
    "$vcluster" exec --name "$1" --node $i -- sed -n 's/^Cpus_allowed_list:\s*//p' /proc/self/status
  done | sort -u | wc -l
}

bytes_sent() { # bytes_sent NODE: as the token bucket of its link counted them
  "$vcluster" exec --name "$name" --node "$1" -- tc -s qdisc show dev eth0 | sed -n 's/.*Sent \([0-9]*\) bytes.*/\1/p'
}

test_wires() {
  local mpi before sent
  # The kernel counts the burst in ticks: 32 KiB come back as 32750 bytes, which newer versions of tc round.
  check "token buckets of node and switch" "1Gbit 32 1Gbit 32" "$({
    "$vcluster" exec --name "$name" --node 2 -- tc qdisc show dev eth0
    "$vcluster" exec --name "$name" -- tc qdisc show dev port2
  } | sed -n 's/.*tbf .* rate \([^ ]*\) burst \(32\)\(7[0-9][0-9]b\|Kb\).*/\1 \2/p' | paste -sd' ')"
  for mpi in "${mpis[@]}"; do
    before=$(bytes_sent 0)
    run -- "$scratch/probe-$mpi" stream 1000000 10
    sent=$(($(bytes_sent 0) - before))
    # 10 MB of payload, 4.6 % of headers, and the MPI's own messages.
    check "$mpi: 10 MB go over the wire once ($sent bytes)" yes \
      "$( ((sent > 10300000 && sent < 11500000)) && echo yes)"
    before=$(bytes_sent 0)
    run -n 2 -- "$scratch/probe-$mpi" stream 1000000 10
    sent=$(($(bytes_sent 0) - before))
    check "$mpi: inside a node nothing does ($sent bytes)" yes "$( ((sent < 500000)) && echo yes)"
  done
  "$vcluster" rate 200mbit --name "$name"
  check "rate changes both ends" "200Mbit 200Mbit" "$({
    "$vcluster" exec --name "$name" --node 3 -- tc qdisc show dev eth0
    "$vcluster" exec --name "$name" -- tc qdisc show dev port3
  } | sed -n 's/.*rate \([^ ]*\) .*/\1/p' | paste -sd' ')"
  "$vcluster" rate 1gbit --name "$name"
}

test_finalize() {
  [[ " ${mpis[*]} " == *" mpich "* ]] || return
  # shellcheck disable=SC2016
  check "MPICH leaves MPI_Finalize in 10 of 10 runs" 10 "$("$vcluster" exec --name "$name" -- bash -c '
    for i in $(seq 10); do timeout -k 2 20 mpirun.mpich -n 8 "$0" exchange && echo finished; done' \
    "$scratch/probe-mpich" 2>>"$scratch/stderr" | grep -c finished)"
}

start_waiting_run() { # start_waiting_run MPI OPTION...: leaves the pid of the tool in $tool
  : >"$scratch/out"
  "$vcluster" run --name "$name" "${@:2}" -- "$scratch/probe-$1" wait >"$scratch/out" 2>>"$scratch/stderr" &
  tool=$!
  for _ in $(seq 100); do
    grep -q waiting "$scratch/out" && return
    sleep 0.1
  done
  check "$1: ranks start" waiting ""
}

test_interrupted_runs() {
  local mpi signal
  for mpi in "${mpis[@]}"; do
    for signal in INT KILL; do
      start_waiting_run "$mpi"
      check "$mpi: the search for leavings sees the ranks" 8 "$(marked_processes | grep -c "^$scratch/probe-$mpi wait")"
      kill -"$signal" "$tool"
      wait "$tool" 2>/dev/null
      check "$mpi: SIG$signal fails the run" yes "$( (($? != 0)) && echo yes)"
      check "$mpi: SIG$signal during a run leaves nothing" "" "$(leavings)"
    done
  done
  check "the cluster survives" "$name-head" "$("$vcluster" exec --name "$name" -- hostname)"
}

# How often one waiting rank slept, and how often it lost its core otherwise, by a yield or by preemption: a rank that
# naps yields once or twice for each nap, and one that does not never sleeps.
switches() {
  local pid
  pid=$(pgrep -o -f "^$scratch/probe-$1 wait")
  sed -n 's/^\(non\)\?voluntary_ctxt_switches:\s*//p' "/proc/$pid/status" | paste -sd' '
}

test_nap() {
  local mpi option voluntary forced voluntary_before forced_before
  for mpi in "${mpis[@]}"; do
    for option in --native-nap --no-nap; do
      start_waiting_run "$mpi" $option
      sleep 0.3
      read -r voluntary_before forced_before <<<"$(switches "$mpi")"
      sleep 0.5
      read -r voluntary forced <<<"$(switches "$mpi")"
      ((voluntary -= voluntary_before, forced -= forced_before))
      kill -KILL "$tool"
      wait "$tool" 2>/dev/null
      check "$mpi $option: waiting ranks sleep ($voluntary times, and lose the core $forced times)" $option \
        "$( ((4 * voluntary > forced)) && echo --native-nap || echo --no-nap)"
    done
  done
}

test_coexistence() {
  local addresses
  "$vcluster" up 2 --rate none --name "$other" >/dev/null
  addresses=$("$vcluster" status --json | grep -o '"subnet": "[^"]*"' | sort | uniq -d)
  check "clusters have subnets of their own" "" "$addresses"
  "$vcluster" exec --name "$other" -- mpirun."${mpis[0]}" -n 4 "$scratch/probe-${mpis[0]}" groups \
    >"$scratch/other" 2>>"$scratch/stderr" &
  check "two clusters run at once (first)" "ranks 8 node_ranks 2" "$(run -- "$scratch/probe-${mpis[0]}" groups)"
  wait $!
  check "two clusters run at once (second)" "ranks 4 node_ranks 2" "$(cat "$scratch/other")"
  check "two nodes have processors of their own, or share one" $(($(nproc) < 2 ? 1 : 2)) "$(processor_lists "$other" 2)"
  "$vcluster" up 2 --name "$other" >/dev/null 2>&1
  check "a name is taken once" 1 $?
  "$vcluster" down --name "$other"
  check "down of one leaves the other" "$name-head" "$("$vcluster" exec --name "$name" -- hostname)"
}

test_crash() {
  local keeper
  keeper=$("$vcluster" status --name "$name" --json | sed -n 's/.*"keeper_pid": \([0-9]*\).*/\1/p')
  kill -KILL "$keeper"
  "$vcluster" exec --name "$name" -- true 2>/dev/null
  check "a crashed cluster says so" 1 $?
  "$vcluster" up 4 --name "$name" >/dev/null
  check "and is replaced by up" 0 $?
}

test_interrupted_up() {
  local delay signal
  for signal in INT TERM KILL; do
    for delay in 0.15 0.3; do
      "$vcluster" up 8 --name "$other" >/dev/null 2>&1 &
      sleep "$delay"
      kill -"$signal" $! 2>/dev/null
      # Too late a signal finds a complete cluster, which down removes; otherwise there is none. What up returns
      # does not tell: it may be killed when all is done.
      wait $! 2>/dev/null
      "$vcluster" status --name "$other" >/dev/null 2>&1 && "$vcluster" down --name "$other"
      check "SIG$signal after $delay s of up leaves nothing" "" "$(leavings)"
    done
  done
}

test_with() {
  "$vcluster" with 2 --name "$other" -- sh -c 'exit 5'
  check "with: exit status" 5 $?
  "$vcluster" with 2 --name "$other" -- sleep 60 &
  tool=$!
  sleep 1
  kill -TERM "$tool"
  wait "$tool"
  check "with: ended by SIGTERM" 143 $?
  check "with: interrupted, leaves nothing" "" "$(leavings)"
  "$vcluster" status --name "$other" >/dev/null 2>&1
  check "with: its cluster is gone" 1 $?
}

test_down() {
  local links link left=""
  links=$(namespaces_of_node 0)
  check "five namespaces per node" 5 "$(wc -l <<<"$links")"
  start_waiting_run "${mpis[0]}"
  "$vcluster" down --name "$name"
  wait "$tool" 2>/dev/null
  for link in $links; do namespace_exists "$link" && left+=" $link"; done
  check "down during a run leaves no process or mount" "" "$(leavings)"
  check "down leaves no namespace" "" "$left"
}

test_refusals() {
  local status
  cp -r "$vcluster" "$here/../../tools/vclusterlib" "$scratch"
  for arguments in "up 0" "up 65" "up 2 --rate fast" "up 2 --name A/b" "run --name $name" "exec --name $name --"; do
    # shellcheck disable=SC2086
    "$vcluster" $arguments >/dev/null 2>"$scratch/message"
    status=$?
    check "'$arguments' is refused" 2 $status
  done
  setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 "$scratch/vcluster" up 2 2>"$scratch/message"
  check "without root: status" 77 $?
  check "without root: one line" 1 "$(wc -l <"$scratch/message")"
  setpriv --bounding-set=-all --inh-caps=-all "$vcluster" up 2 --name "$other" 2>"$scratch/message"
  check "without namespaces: status" 77 $?
  check "without namespaces: one line" 1 "$(wc -l <"$scratch/message")"
}

build_probes
message=$("$vcluster" up 4 --rate 1gbit --name "$name" 2>&1)
status=$?
((status == 77)) && skip "$message"
check "up" 0 $status
for part in nodes wires finalize nap coexistence interrupted_runs crash down interrupted_up with refusals; do
  "test_$part"
  echo "        $part: until second $SECONDS"
done
((failed)) && cat "$scratch/stderr"
exit $failed
