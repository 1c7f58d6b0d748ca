#pragma once
// The ranks that share a node, derived from identities that all ranks publish, or prescribed by TUTTI_NODES.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "topology/topology.hpp"

namespace tutti::topology {

/// Where a process lives. Trivially copyable and of fixed size: the caller gathers one from every rank as
/// bytes.
struct NodeIdentity {
  char host[64] = {};       // host name, cut to 63 characters
  char boot_id[40] = {};    // of the running kernel: tells apart machines of the same name
  uint64_t shm_device = 0;  // the file system at /dev/shm: containers of one machine may have their own
  uint64_t shm_inode = 0;
  uint64_t pid_namespace = 0;
};

/// The identity of the calling process. A field that cannot be read stays 0 and distinguishes nothing.
NodeIdentity this_node_identity();

/// The same node: all of the above is equal, so that these processes can share memory and name each other by
/// pid.
bool share_node(const NodeIdentity& a, const NodeIdentity& b);

/// One node number per rank, by share_node; numbered from 0 in the order of their lowest rank.
std::vector<int32_t> node_of_each_rank(std::span<const NodeIdentity> identities);

/// One machine number per rank: nodes that run on one kernel are one machine.
std::vector<int32_t> machine_of_each_rank(std::span<const NodeIdentity> identities);

/// The first rank of each node, or of each machine, in ascending order.
std::vector<Rank> first_ranks(std::span<const int32_t> node_of_rank);

/// Reads TUTTI_NODES: one node number per rank, "0,0,1,1". Errors in one line: invalid_argument.
base::Result<std::vector<int32_t>> parse_nodes(std::string_view text, Rank rank_count);

/// A prescribed map may split a machine into several nodes, but not join ranks that cannot share memory.
/// Errors: invalid_argument, naming two such ranks.
base::Status check_nodes(std::span<const int32_t> node_of_rank, std::span<const NodeIdentity> identities);

}  // namespace tutti::topology
