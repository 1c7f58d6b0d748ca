#pragma once
// One collective call of the program: its buffers and the operation that uses them.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "actors/calls/request.hpp"
#include "actors/calls/user_operator.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "dispatch/dispatched_call.hpp"
#include "dispatch/observer.hpp"
#include "engine/engine.hpp"
#include "mpi/data/buffers.hpp"

namespace tutti::actors {

/// A copy of the memory that elements of a derived datatype span, for an operator of the program, which may
/// depend on their layout.
class SpannedElements {
 public:
  void bind(void* user, int64_t count, const mpi::Type& type);
  std::byte* data() { return memory_.data(); }
  base::Status load(const void* from);
  base::Status store();

 private:
  std::byte* elements() { return memory_.data() - type_.true_lb; }
  void* user_ = nullptr;
  int64_t count_ = 0;
  mpi::Type type_;
  std::vector<std::byte> memory_;
};

class CollectiveRequest final : public Request {
 public:
  CollectiveRequest(Rank& owner, Communicator& on, algorithm::Collective collective);
  ~CollectiveRequest() override;

  // ---- set by the functions of collective_arguments.hpp ----
  /// The program may free its datatypes while the operation is in progress.
  bool outlives_call = false;
  mpi::KeptTypes kept_types;
  algorithm::Request request;
  mpi::Buffers buffers{mpi::Lifetime::operation};
  SpannedElements input_elements, output_elements;
  std::variant<std::monostate, mpi::MpiReducer, ProgramReducer, NativeReducer> reducer;
  std::vector<uint64_t> sizes;  // of blocks
  engine::Bindings bindings;
  /// `load` copies the program's data to the operation's buffers, `store` copies the result to the program.
  std::function<base::Status()> load, store;
  int rank() const;
  int size() const;
  /// Makes this a persistent request. All ranks create the same ones in the same order.
  void make_persistent();
  Rank& owner() const { return owner_; }

  // ---- life ----
  /// Returns an error class.
  int start() override;
  /// A call whose sizes do not match on this rank still uses up a sequence number, as on the other ranks.
  void skip_operation();
  bool is_done() const override { return operation_ == nullptr; }
  bool progress() override;
  void detach_sends(DetachedSends* so_far) override;
  int finish(MPI_Status* status) override;

 private:
  void begin(select::CallInterface interface);
  void observe_end();

  uint32_t persistent_ = 0, starts_ = 0;
  dispatch::DispatchedCall dispatched_;
  dispatch::CallEvent event_;
  engine::Operation* operation_ = nullptr;  // nullptr: not started, or ended
  base::Status outcome_;
};

}  // namespace tutti::actors
