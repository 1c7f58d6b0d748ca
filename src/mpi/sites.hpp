#pragma once
// The call sites of one communicator: calls of one collective, one kind and one size class.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "algorithm/request.hpp"
#include "mpi/agreement.hpp"
#include "mpi/site.hpp"
#include "select/candidate.hpp"

namespace tutti::mpi {

/// Used by the thread that is inside a collective on the communicator.
class Sites {
 public:
  /// `world_ranks` stays valid.
  Sites(Communicator& communicator, std::span<const int> world_ranks)
      : communicator_(communicator), world_ranks_(world_ranks) {}

  /// The site that a call belongs to. nullptr: the rules decide, because they say what somebody wishes,
  /// because there is only one candidate, or because there have been too few calls. `common`: what all ranks
  /// know of the request, so that all of them get the same answer. Never waits.
  Site* site_of(const algorithm::Request& common, select::CallKind kind);

  /// A site of its own for a persistent request, which lives as long as the communicator. nullptr: the rules
  /// decide. All ranks ask for the requests of a communicator in the same order.
  Site* make_for_request(const algorithm::Request& common, uint64_t expected_starts);

  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& site : of_requests_) visit(*site);
    for (const auto& [key, slot] : slots_)
      if (slot.site != nullptr) visit(*slot.site);
  }

 private:
  struct Slot {
    uint32_t calls = 0;
    std::unique_ptr<Site> site;
  };
  std::unique_ptr<Site> make(const algorithm::Request& common, select::CallKind kind,
                             uint64_t expected_calls);

  Communicator& communicator_;
  std::span<const int> world_ranks_;
  std::optional<AgreementWays> ways_;
  uint32_t site_count_ = 0;
  std::unordered_map<uint32_t, Slot> slots_;
  std::vector<std::unique_ptr<Site>> of_requests_;
};

}  // namespace tutti::mpi
