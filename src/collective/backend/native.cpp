// The native MPI.

#include "collective/backend/backend.hpp"

namespace tutti::collective {
namespace {

bool takes(const select::Candidate& candidate, const Execution&) {
  return candidate.is_native();
}

base::Status can_serve(const BackendContext&, const algorithm::RankInvariantRequest&,
                       const select::Candidate&, const Execution&) {
  return {};
}

base::Result<CallWork> prepare(const BackendContext&, const algorithm::Request&, const select::Candidate&,
                               const Execution&) {
  return CallWork(NativeCall{});
}

}  // namespace

extern const Backend native_backend;
const Backend native_backend = {.takes = takes, .can_serve = can_serve, .prepare = prepare};

}  // namespace tutti::collective
