#pragma once
// The pending operations whose calls have returned early, so that other calls can wait for them.

#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "base/short_way.hpp"
#include "engine/signal.hpp"
#include "overlap/early_return_job.hpp"

namespace tutti::overlap {

/// Any thread.
class EarlyReturnJobs {
 public:
  using Await = std::function<void(engine::Signal&)>;
  using Choice = std::function<bool(const EarlyReturnJob&)>;

  /// Fast check for every call. One load.
  bool is_empty() const { return !are_some_.is_there(); }

  void insert(EarlyReturnJob* job);
  void erase(EarlyReturnJob* job);

  /// Waits with `await` until there are no such operations, or none with `is_chosen`.
  void wait_for_all(const Await& await);
  void wait_for(const Choice& is_chosen, const Await& await);

 private:
  std::mutex mutex_;
  std::vector<EarlyReturnJob*> jobs_;
  base::ShortWay::Reason are_some_;
};

}  // namespace tutti::overlap
