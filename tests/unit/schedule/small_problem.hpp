#pragma once
// A few ranks, their contents and hand-written schedules: what the verifier's own tests are made of.

#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "schedule/verifier.hpp"

namespace tutti::schedule {

inline constexpr uint64_t k_bytes = 16;  // of every vector in these tests

inline BufRef input(uint64_t offset = 0, uint64_t length = k_bytes) {
  return {Slot::input, offset, length};
}
inline BufRef output(uint64_t offset = 0, uint64_t length = k_bytes) {
  return {Slot::output, offset, length};
}

/// `rank_count` ranks, each on a node of its own unless `nodes` says otherwise; node n is led by its lowest
/// rank.
class SmallProblem {
 public:
  explicit SmallProblem(Rank rank_count)
      : contents_(static_cast<size_t>(rank_count)), builders_(contents_.size()) {
    node_of_rank_.resize(contents_.size());
    std::iota(node_of_rank_.begin(), node_of_rank_.end(), 0);
    leader_of_node_.assign(node_of_rank_.begin(), node_of_rank_.end());
  }

  SmallProblem& nodes(std::vector<int32_t> node_of_rank, std::vector<Rank> leader_of_node) {
    node_of_rank_ = std::move(node_of_rank);
    leader_of_node_ = std::move(leader_of_node);
    return *this;
  }

  ScheduleBuilder& operator[](Rank r) { return builders_[static_cast<size_t>(r)]; }
  RankContents& contents(Rank r) { return contents_[static_cast<size_t>(r)]; }

  /// Rank 0 holds a message in its output; every rank must get it.
  SmallProblem& bcast() {
    contents(0).output_before = {{.length = k_bytes}};
    for (RankContents& rank : contents_) rank.output_after = {{.length = k_bytes}};
    return *this;
  }

  /// Every rank holds a vector in its input; rank 0 must get their reduction.
  SmallProblem& reduce() {
    const Rank p = static_cast<Rank>(contents_.size());
    for (Rank r = 0; r < p; ++r) contents(r).input = {{.length = k_bytes, .first = r}};
    contents(0).output_after = {{.length = k_bytes, .first = 0, .contributor_count = p}};
    return *this;
  }

  SmallProblem& not_commutative() { return commutative_ = false, *this; }
  SmallProblem& synchronises() { return synchronises_ = true, *this; }
  SmallProblem& element_bytes(uint64_t bytes) { return element_bytes_ = bytes, *this; }

  std::vector<Schedule> schedules() {
    std::vector<Schedule> all;
    for (ScheduleBuilder& builder : builders_) all.push_back(std::move(builder).finish().value());
    return all;
  }

  VerifyReport verify() {
    return schedule::verify({.ranks = contents_,
                             .node_of_rank = node_of_rank_,
                             .leader_of_node = leader_of_node_,
                             .commutative = commutative_,
                             .element_bytes = element_bytes_,
                             .synchronises = synchronises_},
                            schedules());
  }

 private:
  std::vector<RankContents> contents_;
  std::vector<ScheduleBuilder> builders_;
  std::vector<int32_t> node_of_rank_;
  std::vector<Rank> leader_of_node_;
  bool commutative_ = true, synchronises_ = false;
  uint64_t element_bytes_ = 1;
};

}  // namespace tutti::schedule
