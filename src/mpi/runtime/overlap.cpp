// Runtime's part in calls that return early: sets up guards, writes the access log, and waits for pending calls.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "collective/early_return_policy.hpp"
#include "mpi/bootstrap/program_symbols.hpp"
#include "mpi/runtime/runtime.hpp"
#include "overlap/guard/mechanism.hpp"
#include "overlap/guard/unit.hpp"

namespace tutti::mpi {

using base::Status;

/// Early-return calls need a progress thread on every rank that carries them out while the program computes.
void Runtime::prepare_early_calls(std::vector<std::string>* problems) {
  if (settings_.text("TUTTI_OVERLAP") == "off") return;
  const auto refuse = [&](const std::string& why) {
    problems->push_back("TUTTI_OVERLAP: blocking collectives wait for their data, because " + why);
  };
  if (!progress_.has_thread()) return refuse("there is no progress thread (" + progress_.description() + ")");
  const auto collectives = collective::parse_early_collectives(settings_.text("TUTTI_OVERLAP_COLLECTIVES"));
  if (!collectives) return refuse("TUTTI_OVERLAP_COLLECTIVES: " + collectives.status().message());
  find_guards(problems);
  if (is_multithreaded_) multithreaded_use_.watch();
  options_.early_collectives = *collectives;
  options_.least_early_bytes = settings_.number("TUTTI_OVERLAP_BYTES");
  options_.traces_accesses = settings_.text("TUTTI_OVERLAP") == "trace";
}

/// A rank without a guard waits inside its calls, which does not affect the other ranks.
void Runtime::find_guards(std::vector<std::string>* problems) {
  std::string why = "the program calls PMPI_* itself";  // possibly with data that has not arrived
  if (!program_passes_by()) why = try_guards();
  if (guards_.empty())
    return problems->push_back("TUTTI_OVERLAP: calls of rank 0 wait for their data: " + why);
  log_verbose("buffers are guarded by " + std::string(to_string(guards_.front())) + " in units of " +
              base::format_bytes(overlap::guard::unit_bytes()));
}

std::string Runtime::try_guards() {
  namespace guard = overlap::guard;
  const std::string_view wanted = settings_.text("TUTTI_OVERLAP_GUARD");
  std::string why;
  for (const guard::Mechanism mechanism : guard::k_mechanisms) {
    if (wanted != "auto" && wanted != to_string(mechanism)) continue;
    Status works = guard::works_now(mechanism);
    if (works && is_in_place(mechanism) && ucx_network_ == nullptr)
      works = Status::not_supported("the MPI itself would bring data into guarded pages");
    if (works)
      guards_.push_back(mechanism);
    else
      why += (why.empty() ? "" : "; ") + std::string(to_string(mechanism)) + ": " + works.message();
  }
  return why;
}

void Runtime::write_access_log() {
  if (!options_.traces_accesses) return;
  access_traces().end_all();
  const std::filesystem::path folder(settings_.text("TUTTI_OVERLAP_FOLDER"));
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const std::string name = (folder / select::access_log_name(world_rank_)).string();
  if (const Status written = base::replace_file(name, access_log_.to_json(world_rank_, world_size()));
      !written)
    log("TUTTI_OVERLAP_FOLDER: " + written.message());
}

/// Waits for early calls, because a child process would have the guarded pages but no thread that completes them.
void Runtime::before_fork() {
  Runtime* const runtime = get();
  if (runtime != nullptr && runtime->process_id_ == getpid()) runtime->await_early_calls();
}

void Runtime::await_early_calls() {
  access_traces().end_all();
  early_return_jobs_.wait_for_all([this](engine::Signal& end) { progress_.await(end); });
}

void Runtime::await_early_calls(std::span<const void* const> data) {
  if (!is_multithreaded_) return await_early_calls();
  access_traces().end_all();
  const auto is_needed = [&](const overlap::EarlyReturnJob& job) {
    return job.is_of_this_thread() ||
           std::ranges::any_of(data, [&](const void* address) { return job.writes_to(address); });
  };
  early_return_jobs_.wait_for(is_needed, [this](engine::Signal& end) { progress_.await(end); });
}

}  // namespace tutti::mpi
