#include "dispatch/answer.hpp"

namespace tutti::dispatch {

Execution execution_of(select::CallKind interface, select::ProgressMode mode) {
  const bool is_blocking = interface == select::CallKind::blocking;
  return {.mode = mode, .waits_inside = is_blocking, .has_node_memory = is_blocking};
}

}  // namespace tutti::dispatch
