#include "mpi/runtime/early_calls.hpp"

#include <algorithm>

namespace tutti::mpi {

using base::Status;

std::string EarlyCalls::find_guards(std::string_view wanted, bool is_over_mpi) {
  namespace guard = overlap::guard;
  std::string why;
  for (const guard::Mechanism mechanism : guard::k_mechanisms) {
    if (wanted != "auto" && wanted != to_string(mechanism)) continue;
    Status works = guard::works_now(mechanism);
    if (works && is_in_place(mechanism) && is_over_mpi)
      works = Status::not_supported("the MPI itself would bring data into guarded pages");
    if (works)
      guards_.push_back(mechanism);
    else
      why += (why.empty() ? "" : "; ") + std::string(to_string(mechanism)) + ": " + works.message();
  }
  return why;
}

void EarlyCalls::watch_threads() {
  is_multithreaded_ = true;
  multithreaded_use_.watch();
}

void EarlyCalls::await() {
  traces().end_all();
  jobs_.wait_for_all([this](engine::Signal& end) { progress_.await(end); });
}

void EarlyCalls::await(std::span<const void* const> data) {
  if (!is_multithreaded_) return await();
  traces().end_all();
  const auto is_needed = [&](const overlap::EarlyReturnJob& job) {
    return job.is_of_this_thread() ||
           std::ranges::any_of(data, [&](const void* address) { return job.writes_to(address); });
  };
  jobs_.wait_for(is_needed, [this](engine::Signal& end) { progress_.await(end); });
}

}  // namespace tutti::mpi
