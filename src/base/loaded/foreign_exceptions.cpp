// Exceptions of the program pass through functions here, on their way from its callbacks. Where the program brings an
// unwinder of its own (-static-libgcc, or another namespace of the dynamic linker), that one asks ours for the size of
// a register, which ours learns when it first unwinds: now.

#include <unwind.h>

namespace {

[[gnu::constructor]] void prepare_unwinder() {
  const auto look_at_none = [](_Unwind_Context*, void*) { return _URC_END_OF_STACK; };
  static_cast<void>(_Unwind_Backtrace(look_at_none, nullptr));
}

}  // namespace
