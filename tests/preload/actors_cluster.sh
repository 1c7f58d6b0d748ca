#!/bin/sh -e
# actors_cluster.sh BUILD MPI: inside a virtual cluster of four nodes for two ranks each, programs that check their own results
# run with ranks as threads, and with late ranks where they can make them.
build=$1 mpi=$2
run() {
  program=$1
  shift
  timeout 120 "$build/bin/tutti" run --actors -- "mpirun.$mpi" -n 8 "$build/bin/$program-$mpi" "$@"
}
run asp --vertices 300 --imbalance uniform:2ms
run vcc --vertices 300 --imbalance uniform:2ms
run fft3d --log2-side 5
run bucket_sort
