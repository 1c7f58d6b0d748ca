#include "simulate/replay.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tutti::simulate {

using base::Result;
using base::Status;
using topology::Topology;

namespace {

constexpr size_t k_most_known = 4096;  // number of kinds of calls whose schedules are cached

double mean_of(std::span<const uint64_t> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Replay::Replay(std::vector<uint32_t> node_of_rank, const Machine& machine, Change change)
    : node_of_rank_(std::move(node_of_rank)),
      nodes_(*std::max_element(node_of_rank_.begin(), node_of_rank_.end()) + 1),
      machine_(machine),
      costs_(costs_of(machine)),
      change_(change),
      now_ns_(node_of_rank_.size() * change_.times),
      inside_ns_(now_ns_.size()) {
  auto links = make_links(machine_, nodes_ * change_.times);
  if (links)
    links_ = std::move(*links);
  else
    links_status_ = links.status();
}

Status Replay::add(const RecordedCall& call, const AskToStop& stops) {
  if (!links_status_) return links_status_;
  const auto ranks = static_cast<uint32_t>(node_of_rank_.size());
  if (call.members.size() == ranks) {
    std::vector<uint32_t> all;
    for (uint32_t copy = 0; copy < change_.times; ++copy)
      for (const uint32_t member : call.members) all.push_back(copy * ranks + member);
    return add_copy(call, all, change_.times, stops);
  }
  for (uint32_t copy = 0; copy < change_.times; ++copy) {
    std::vector<uint32_t> shifted(call.members.begin(), call.members.end());
    for (uint32_t& member : shifted) member += copy * ranks;
    if (Status status = add_copy(call, shifted, 1, stops); !status) return status;
  }
  return {};
}

/// `members`: ranks of the replay, `copies` times those of the recorded call.
Status Replay::add_copy(const RecordedCall& call, std::span<const uint32_t> members, uint32_t copies,
                        const AskToStop& stops) {
  const size_t recorded = call.members.size();
  const double even_ns = mean_of(call.gaps_ns);
  std::vector<double> arrival_ns;
  for (size_t i = 0; i < members.size(); ++i) {
    const auto gap_ns = static_cast<double>(call.gaps_ns[i % recorded]);
    arrival_ns.push_back(now_ns_[members[i]] + (change_.without_lateness ? even_ns : gap_ns));
  }
  const auto leave = [&](size_t i, double end_ns) {
    inside_ns_[members[i]] += end_ns - arrival_ns[i];
    now_ns_[members[i]] = end_ns;
  };
  if (!call.is_size_known) {
    kept_ += copies;
    for (size_t i = 0; i < members.size(); ++i)
      leave(i, arrival_ns[i] + static_cast<double>(call.inside_ns[i % recorded]));
    return {};
  }
  const double begin_ns = *std::min_element(arrival_ns.begin(), arrival_ns.end());
  std::vector<uint64_t> arrival_ps;
  for (const double at : arrival_ns)
    arrival_ps.push_back(static_cast<uint64_t>(std::llround((at - begin_ns) * 1000)));
  const auto ready = prepared(call, members);
  if (!ready) return ready.status();
  const auto outcome = (*ready)->run(arrival_ps, costs_, links_.get(), stops);
  if (!outcome) return outcome.status();
  ++simulated_;
  for (size_t i = 0; i < members.size(); ++i)
    leave(i, begin_ns + static_cast<double>(outcome->ends_ps[i]) / 1000);
  return {};
}

Result<PreparedCall*> Replay::prepared(const RecordedCall& call, std::span<const uint32_t> members) {
  Kind kind{call.collective, call.bytes, call.root, {members.begin(), members.end()}, call.choice};
  const auto found = known_.find(kind);
  if (found != known_.end()) return &found->second;
  if (known_.size() >= k_most_known) known_.clear();
  auto made = prepare(call, topology_of(members));
  if (!made) return made.status();
  return &known_.emplace(std::move(kind), std::move(*made)).first->second;
}

Result<PreparedCall> Replay::prepare(const RecordedCall& call, const Topology& topology) const {
  const auto choice = choice_again(call, change_.choices[static_cast<size_t>(call.collective)], topology,
                                   machine_, links_.get());
  if (!choice) return choice.status();
  Experiment experiment{
      .call = uniform_call(call, topology.rank_count()), .choice = *choice, .leader = change_.leader};
  auto made = PreparedCall::make(experiment, topology);
  if (made || made.status().code() != base::Code::not_supported) return made;
  experiment.leader = arrival::Leader::fixed;  // agents do not serve every call
  return PreparedCall::make(experiment, topology);
}

Topology Replay::topology_of(std::span<const uint32_t> members) const {
  std::vector<int32_t> nodes;
  for (const uint32_t member : members) {
    const auto ranks = static_cast<uint32_t>(node_of_rank_.size());
    nodes.push_back(static_cast<int32_t>(node_of_rank_[member % ranks] + member / ranks * nodes_));
  }
  return Topology::from_node_of_rank(nodes).value();
}

Replay::Times Replay::times() const {
  return {.run_ns = *std::max_element(now_ns_.begin(), now_ns_.end()),
          .inside_ns = std::accumulate(inside_ns_.begin(), inside_ns_.end(), 0.0) /
                       static_cast<double>(inside_ns_.size()),
          .simulated = simulated_,
          .kept = kept_};
}

}  // namespace tutti::simulate
