#pragma once
// Numbers the distinct combinations of call site, communicator, collective, interface and what served the call.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "algorithm/request.hpp"
#include "record/rank_file.hpp"

namespace tutti::record {

/// What served a call. The strings must outlive the table.
struct ServingChoice {
  const std::string* choice = nullptr;  // nullptr: the native MPI
  const std::string* reason = nullptr;
};

struct RowKey {
  const void* caller = nullptr;  // return address of the call
  uint32_t communicator = 0, stream = 0;
  MessageCall message = MessageCall::none;
  algorithm::Collective collective = algorithm::Collective::barrier;
  select::CallInterface interface = select::CallInterface::blocking;
  ServingChoice choice;

  friend bool operator==(const RowKey& a, const RowKey& b) {
    return a.caller == b.caller && a.communicator == b.communicator && a.stream == b.stream &&
           a.message == b.message && a.collective == b.collective && a.interface == b.interface &&
           a.choice.choice == b.choice.choice && a.choice.reason == b.choice.reason;
  }
};

/// Any thread. Takes a lock and allocates only for a new key.
class RowTable {
 public:
  static constexpr uint32_t k_most = 1U << 15;
  /// Result of number_of() for a new key if there are k_most already.
  static constexpr uint32_t k_none = UINT32_MAX;

  /// Calls `on_new` for each key, in the order of their numbers and under the lock.
  explicit RowTable(std::function<void(const RowKey&)> on_new) : on_new_(std::move(on_new)) {}

  uint32_t number_of(const RowKey& key);
  /// In the order of their numbers.
  std::vector<RowKey> all() const;

 private:
  struct Entry {
    RowKey key;
    uint32_t number;
  };
  static constexpr size_t k_slots = size_t{2} * k_most;
  std::atomic<const Entry*>& slot_of(const RowKey& key);
  uint32_t insert(const RowKey& key);

  const std::function<void(const RowKey&)> on_new_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<const Entry>> entries_;
  std::array<std::atomic<const Entry*>, k_slots> slots_{};
};

}  // namespace tutti::record
