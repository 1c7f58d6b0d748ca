#include "mpi/runtime/runtime.hpp"

#include <utility>

#include "base/standard_error.hpp"
#include "dispatch/call_site_report.hpp"
#include "select/learned.hpp"
#include "transport/mpi/mpi_endpoint.hpp"

namespace tutti::mpi {

std::atomic<Runtime*> Runtime::instance_{nullptr};
std::atomic<Communicator*> Runtime::world_{nullptr};
bool Runtime::has_been_asked_ = false;

Communicator* served_by_table(MPI_Comm comm) {
  Runtime* const runtime = Runtime::get();
  return runtime == nullptr ? nullptr : runtime->communicators().find(comm);
}

void Runtime::log(const std::string& line) const {
  if (world_rank_ == 0) base::log(line);
}

void Runtime::log_verbose(const std::string& line) const {
  if (is_verbose_) log(line);
}

std::unique_ptr<transport::Endpoint> Runtime::make_endpoint(transport::Space space,
                                                            std::span<const int> world_ranks) {
  if (ucx_network_ != nullptr) return ucx_network_->make_endpoint(space, world_ranks);
  const bool is_agreement = space == transport::Space::agreements;
  return std::make_unique<transport::MpiEndpoint>(is_agreement ? agreement_comm_ : private_comm_,
                                                  world_ranks);
}

void Runtime::remember_sites(const dispatch::CallSiteTable& sites, int rank) {
  sites.for_each([&](const dispatch::CallSite& site) {
    if (site.only_watches()) return;
    if (is_reporting_ && world_rank_ == 0)
      if (auto known = dispatch::report_of(site)) report_.add_site(std::move(*known));
    if (rank != 0 || learned_file_.empty()) return;  // one rank of the communicator saves the rule
    site.inspect([&](const select::Tuner& tuner) {
      const std::lock_guard lock(learned_mutex_);
      if (auto rule = learned_rule(tuner, site.shape()))
        learned_.push_back(std::move(*rule));
      else
        ++not_learned_[rule.status().message()];
    });
  });
}

}  // namespace tutti::mpi
