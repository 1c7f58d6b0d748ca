#include "record/finalize_waits.hpp"

#include <algorithm>

#include "record/clock_model.hpp"

namespace tutti::record {

namespace {

/// Number of MPI_COMM_WORLD in the rank's description, which gets it if it is not there.
uint32_t world_of(RankDescription* says) {
  const auto is_world = [says](const CommunicatorDescription& communicator) {
    return communicator.rank == says->rank && communicator.members.size() == says->ranks &&
           std::ranges::is_sorted(communicator.members);
  };
  const auto found = std::ranges::find_if(says->communicators, is_world);
  const auto number = static_cast<uint32_t>(found - says->communicators.begin());
  if (found != says->communicators.end()) return number;
  CommunicatorDescription world{.number = CommunicatorDescription::k_unnumbered, .rank = says->rank};
  for (uint32_t member = 0; member < says->ranks; ++member) world.members.push_back(member);
  says->communicators.push_back(std::move(world));
  return number;
}

void add_wait(RankOfRun* rank, uint64_t waited_ns) {
  RankDescription& says = rank->description;
  if (says.places.empty()) says.places.emplace_back();
  const Row row{
      .communicator = world_of(&says), .message = MessageCall::other, .choice = std::string(k_finalize)};
  rank->open.push_back(PackedRecord::of({.arrival_ns = says.finalize_ns,
                                         .row = static_cast<uint32_t>(says.rows.size()),
                                         .inside_ns = waited_ns,
                                         .whole_ns = waited_ns}));
  says.rows.push_back(row);
  says.ended_ns = std::max(says.ended_ns, says.finalize_ns + waited_ns);
}

}  // namespace

void add_finalize_waits(RunFiles* run) {
  const bool is_sampled = run->first().description.sampled_every > 1;  // then nothing explains the waits
  if (run->found.size() != run->ranks || run->ranks < 2 || is_sampled) return;
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
  uint64_t error_ns = 0;
  std::vector<int64_t> entries_ns;
  for (const RankOfRun& rank : run->found) {
    const RankDescription& says = rank.description;
    if (!rank.is_finalized() || says.finalize_ns == 0 || says.finalize_ns < says.began_ns) return;
    const ClockModel clock(says.clock, run->has_common_clock(rank));
    entries_ns.push_back(clock.at(says.finalize_ns));
    first_ns = std::min(first_ns, entries_ns.back());
    last_ns = std::max(last_ns, entries_ns.back());
    error_ns = std::max(error_ns, clock.error_ns(says.finalize_ns));
  }
  // A difference of times involves two clocks.
  if (static_cast<uint64_t>(last_ns - first_ns) / 4 < error_ns) return;
  for (size_t i = 0; i < entries_ns.size(); ++i)
    add_wait(&run->found[i], static_cast<uint64_t>(last_ns - entries_ns[i]));
}

}  // namespace tutti::record
