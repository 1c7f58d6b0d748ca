#pragma once
// Computes the data of Figures 3, 4 and 6 of paper 000: its formulas, exact values for comparison, and simulations of
// the whole tree, which the paper does not cover. Pure; any thread.

#include <cstdint>
#include <string>
#include <vector>

#include "arrival/broadcast.hpp"
#include "arrival/impact.hpp"
#include "arrival/pattern.hpp"
#include "base/status.hpp"

namespace tutti::command {

inline constexpr double k_ns_per_us = 1000;

/// The paper's parameters; times in µs.
struct ModelOptions {
  uint32_t processes = 1024, nodes = 128;
  double alpha_us = 4, beta_us = 0.01;  // per message, and per byte
  double k_us = 500;                    // arrivals in [0, k]
  std::string arrivals;                 // pattern for the whole tree; empty: uniform on [0, k]
  std::vector<uint64_t> bytes = {8, 64, 512, 1024, 4096, 16384, 65536};
  std::vector<double> unbalances = {1, 2, 5, 10, 20, 50, 100, 125};
  std::vector<uint32_t> contenders = {2, 8};
  uint32_t trials = 10'000;
  uint64_t seed = 1;
};

/// A point of Figure 3.
struct ImpactRow {
  std::string curve;  // "BT", "PBT", "CPBT n=2"
  arrival::ImpactCase of;
  double paper = 0, exact = 0;
  arrival::Estimate sampled;
};

/// A message size in Figure 4, in µs: formulas (1), (2) and (4), as in the paper.
struct TimeRow {
  uint64_t bytes = 0;
  double transfer_us = 0, unbalance = 0;  // t(m) and Ψ
  double bt_balanced = 0, bt = 0, pbt_balanced = 0, pbt = 0, cpbt = 0;
};

/// Times of the whole tree for the same size.
struct TreeRow {
  uint64_t bytes = 0;
  std::string curve;  // "BT", "PBT", "CPBT", "agent"
  arrival::BroadcastTimes times_ns;
};

/// A point of Figure 6, for a node of n processes.
struct LeaderRow {
  uint32_t contenders = 1;
  double x = 0;             // arrival, in units of k
  double density = 0;       // in units of 1 / k
  double distribution = 0;  // Theorem 2
};

/// Errors: invalid_argument, one line: parameters for which no model can be computed.
base::Result<std::vector<ImpactRow>> impact_figure(const ModelOptions& options);
base::Result<std::vector<TimeRow>> time_figure(const ModelOptions& options);
base::Result<std::vector<TreeRow>> tree_figure(const ModelOptions& options, const arrival::Pattern& arrivals);
std::vector<LeaderRow> leader_figure(const ModelOptions& options);

}  // namespace tutti::command
