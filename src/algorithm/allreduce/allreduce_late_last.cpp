// Allreduce with one known late rank, after StragglAR (Devraj et al., arXiv 2505.23523, 2025): the others reduce among
// themselves while they wait for it. When the late rank arrives, its vector travels down a chain of the others, segment
// by segment, and each adds it to the others' sum. One of them sends that sum to the late rank at the same time.
//
//   late 2, others 0 1 3 in a chain             x: the late vector, S: the sum of the others
//
//   before    0 ◄═► 1 ◄═► 3   ring allreduce: S on each
//   then      2 ── x ─► 0 ── x ─► 1 ── x ─► 3,  0 ── S ─► 2     (0 if it is on the late rank's node, otherwise 3)
//
// After the late rank has arrived, its link carries n bytes in each direction instead of 2n. Rounds 2(p-2) before, p-1
// after. The operator must commute. All ranks combine the same two vectors, so that all get the same bits.

#include <algorithm>

#include "algorithm/applicability.hpp"
#include "algorithm/catalogue.hpp"
#include "algorithm/late_order.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {
namespace {

using pattern::Segments;

/// Builds one rank's schedule. Segments of the late vector use eight scratch buffers in turn.
class Part {
 public:
  Part(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters)
      : request_(request),
        topology_(topology),
        me_(me),
        late_(static_cast<Rank>(parameters[0])),
        punctual_(punctual_ranks(topology, late_)),
        segments_(Segments::of_elements(request.bytes, parameters[1], request.element_bytes)),
        ring_bytes_(parameters[1]),
        turns_(builder_, segments_.longest(), 8) {}

  BuildResult build() && {
    if (request_.rank_count == 1)
      builder_.copy(request_.operand(), output());
    else
      me_ == late_ ? build_late() : build_punctual();
    if (!status_) return status_;
    return std::move(builder_).finish();
  }

 private:
  BufRef output() const { return {Slot::output, 0, request_.bytes}; }
  BufRef piece_of(BufRef whole, uint64_t i) const {
    return whole.part(segments_.offset(i), segments_.length(i));
  }
  Peer peer(Rank other) const {
    return topology_.node_of(other) == topology_.node_of(me_) ? Peer::local(other) : Peer::rank(other);
  }
  /// The rank that sends the others' sum to the late rank.
  Rank teller() const {
    const bool has_neighbour = topology_.node_of(punctual_.front()) == topology_.node_of(late_);
    return has_neighbour ? punctual_.front() : punctual_.back();
  }

  void build_late() {
    for (uint64_t i = 0; i < segments_.count(); ++i) {
      const BufRef mine = piece_of(request_.operand(), i), result = piece_of(output(), i);
      const TaskId sent = builder_.send(peer(punctual_.front()), mine);
      if (!request_.in_place) {
        builder_.reduce(mine, result, builder_.recv(peer(teller()), result));
        continue;
      }
      const Turns::Place sum = turns_.next(result.length);
      const TaskId told = builder_.recv(peer(teller()), sum.memory, sum.free);
      // As on the other ranks, the late vector is the left operand.
      turns_.hold_until(builder_.reduce(sum.memory, result, {told, sent}, OperandOrder::target_first));
    }
  }

  void build_punctual() {
    const Nested reduced = reduce_among_punctual();
    const auto at = std::ranges::find(punctual_, me_);
    const Peer previous = peer(at == punctual_.begin() ? late_ : *(at - 1));
    for (uint64_t i = 0; i < segments_.count(); ++i) {
      const BufRef result = piece_of(output(), i);
      const auto [late, free] = turns_.next(result.length);
      const TaskId got = builder_.recv(previous, late, free);
      const TaskId sent = at + 1 == punctual_.end() ? k_no_task : builder_.send(peer(*(at + 1)), late, got);
      const TaskId told = me_ == teller() ? builder_.send(peer(late_), result, reduced.done) : k_no_task;
      const TaskId added = builder_.reduce(late, result, {got, reduced.done, told});
      turns_.hold_until(builder_.join({added, sent}));
    }
  }

  Nested reduce_among_punctual() {
    const auto count = static_cast<Rank>(punctual_.size());
    const auto place = static_cast<Rank>(std::ranges::find(punctual_, me_) - punctual_.begin());
    Request among = request_;
    among.rank_count = count;
    ParameterSet parameters;
    parameters.values[0] = ring_bytes_;
    const Algorithm& ring = *find(Collective::allreduce, "ring");
    const auto schedule = ring.build(among, place, Topology::flat(count), parameters);
    if (!schedule) {
      status_ = schedule.status();
      return {};
    }
    std::vector<Peer> peers;
    for (const Rank rank : punctual_) peers.push_back(peer(rank));
    return builder_.nest(*schedule,
                         {.input = {Slot::input, 0, request_.bytes}, .output = output(), .peers = peers});
  }

  const Request& request_;
  const Topology& topology_;
  const Rank me_, late_;
  const std::vector<Rank> punctual_;
  const Segments segments_;
  const uint64_t ring_bytes_;
  ScheduleBuilder builder_;
  Turns turns_;
  base::Status status_;
};

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  return Part(request, me, topology, parameters).build();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const auto p = static_cast<uint64_t>(request.rank_count);
  if (request.bytes == 0 || p == 1) return {};
  return {.rounds = 2 * (p - 2) + p - 1, .busiest_bytes = 4 * request.bytes, .is_upper_bound = true};
}

}  // namespace

extern const Algorithm allreduce_late_last = {
    .name = "late_last",
    .summary =
        "the others reduce while they wait for a rank known to be late; its vector then passes all of them",
    .source = "after Devraj et al. (StragglAR), arXiv 2505.23523, 2025",
    .collective = Collective::allreduce,
    .parameters = k_late_parameters,
    .applies = applies_if<late_parameters_fit, operator_commutes>,
    .build = build,
    .cost = cost,
    .is_for_late_rank = true,
};

}  // namespace tutti::algorithm
