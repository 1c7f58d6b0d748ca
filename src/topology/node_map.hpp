#pragma once
// Determines the ranks that share a node, from identities that all ranks publish, or from TUTTI_NODES.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "topology/topology.hpp"

namespace tutti::topology {

/// Identifies the node of a process. Trivially copyable and of fixed size: the caller gathers one from every rank as
/// bytes.
struct NodeIdentity {
  char host[64] = {};       // host name, cut to 63 characters
  char boot_id[40] = {};    // of the running kernel: distinguishes machines with the same host name
  uint64_t shm_device = 0;  // the file system at /dev/shm: containers of one machine may have separate ones
  uint64_t shm_inode = 0;
  uint64_t pid_namespace = 0;
};

/// The identity of the calling process. A field that cannot be read stays 0 and does not distinguish processes.
NodeIdentity this_node_identity();

/// Whether two processes are on the same node: all fields are equal, so that they can share memory and address each
/// other by pid.
bool share_node(const NodeIdentity& a, const NodeIdentity& b);

/// Node number of each rank, by share_node(); numbered from 0 in the order of their lowest rank.
std::vector<int32_t> node_of_each_rank(std::span<const NodeIdentity> identities);

/// Machine number of each rank: nodes with the same kernel are one machine.
std::vector<int32_t> machine_of_each_rank(std::span<const NodeIdentity> identities);

/// The first rank of each node, or of each machine, in ascending order.
std::vector<Rank> first_ranks(std::span<const int32_t> node_of_rank);

/// Parses TUTTI_NODES: one node number per rank, "0,0,1,1". Error (one line): invalid_argument.
base::Result<std::vector<int32_t>> parse_nodes(std::string_view text, Rank rank_count);

/// A prescribed map may split a machine into several nodes, but must not join ranks that cannot share memory. Error:
/// invalid_argument, with two such ranks.
base::Status check_nodes(std::span<const int32_t> node_of_rank, std::span<const NodeIdentity> identities);

}  // namespace tutti::topology
