#include "actors/calls/rank.hpp"

#include <algorithm>
#include <utility>

#include "actors/calls/container_services.hpp"

namespace tutti::actors {

Rank::Rank(ContainerServices& container, int world_rank)
    : container_(container), world_rank_(world_rank), services_(container.job_settings(), world_rank) {}

Rank::~Rank() = default;

Communicator* Rank::find(MPI_Comm handle) const {
  if (handle == MPI_COMM_WORLD) return world_.get();
  if (handle == MPI_COMM_SELF) return self_.get();
  return handle == MPI_COMM_NULL ? nullptr : communicators_.find(handle);
}

std::unique_ptr<Communicator> Rank::make(uint64_t context, std::vector<int> ranks) {
  return std::make_unique<Communicator>(
      context, Members{.ranks = std::move(ranks), .me = world_rank_, .world = container_.world_group()});
}

MPI_Comm Rank::give(std::unique_ptr<Communicator> communicator) {
  Communicator* const given = communicator.release();
  given->handle = communicators_.add(given);
  given->freed = [this, given] {
    communicators_.remove(given);
    if (given->error_handler != nullptr) release(given->error_handler);
    delete given;
  };
  show(*this, *given);
  return given->handle;
}

void Rank::release(ErrorHandler* handler) {
  if (handler == &returning_handler() || --handler->users > 0) return;
  error_handlers_.remove(handler);
  delete handler;
}

MPI_Request Rank::give(std::unique_ptr<Request> request) {
  Request* const given = request.release();  // deleted by drop()
  const MPI_Request handle = requests_.add(given);
  show(handle, given->number);
  return handle;
}

void Rank::drop(Request* request) {
  requests_.remove(request);
  delete request;
}

void Rank::orphan(std::unique_ptr<Request> request) {
  orphans_.push_back(std::move(request));
}

namespace {

/// The Fortran number.
MPI_Fint number_of(const Communicator& communicator) {
  return communicator.number != 0 ? communicator.number : PMPI_Comm_c2f(communicator.handle);
}

}  // namespace

Communicator* Rank::find_original(MPI_Comm comm, MPI_Comm* newcomm, int* code) {
  Communicator* const from = find(comm);
  if (from == nullptr || newcomm == nullptr) {
    *code = result(nullptr, from == nullptr ? MPI_ERR_COMM : MPI_ERR_ARG);
    return nullptr;
  }
  *newcomm = MPI_COMM_NULL;
  return from;
}

int Rank::result(const Communicator* communicator, int code) {
  if (code == MPI_SUCCESS) return code;
  if (communicator == nullptr) communicator = world_.get();
  if (communicator != nullptr && communicator->is_freed) communicator = self_.get();
  const ErrorHandler* const handler = communicator == nullptr ? nullptr : communicator->error_handler;
  if (handler == nullptr) container_.abort_with_error(*this, communicator, code);
  if (handler->kind != ErrorHandler::Kind::function) return code;
  return call(*handler, programs(communicator->handle), number_of(*communicator), code);
}

void Rank::progress() {
  if (services_.agreements().has_jobs()) services_.agreements().progress();
  // Requests on one communicator share an engine: progress of one may complete another.
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (size_t i = active_collectives_.size(); i-- > 0;)
      has_moved = active_collectives_[i]->progress() || has_moved;
  }
  if (orphans_.empty()) return;
  std::erase_if(orphans_, [](const std::unique_ptr<Request>& orphan) {
    if (!orphan->is_done()) return false;
    MPI_Status ignored;
    orphan->finish(&ignored);
    return true;
  });
}

/// Waits at most as long as the copy that ends the wait would take: the worst case costs both.
uint64_t Rank::detach_sends(uint64_t waited_ns) {
  constexpr uint64_t k_at_once = uint64_t{64} << 10, k_bytes_per_ns = 4;
  DetachedSends all{.most_bytes = std::max(k_at_once, waited_ns * k_bytes_per_ns)};
  for (Request* const one : active_collectives_) one->detach_sends(&all);
  if (all.has_ended_some) return 0;
  return all.least_left == UINT64_MAX ? Mailbox::k_never : all.least_left / k_bytes_per_ns;
}

void Rank::initialise(int thread_level) {
  std::vector<int> all(static_cast<size_t>(container_.rank_count()));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  world_ = make(0, std::move(all));
  world_->handle = MPI_COMM_WORLD;
  world_->name = "MPI_COMM_WORLD";
  self_ = make(context_of(world_rank_, 0), {world_rank_});
  self_->handle = MPI_COMM_SELF;
  self_->name = "MPI_COMM_SELF";
  show(*this, *world_);
  show(*this, *self_);
  thread_level_ = thread_level;
  state_ = State::initialised;
}

}  // namespace tutti::actors
