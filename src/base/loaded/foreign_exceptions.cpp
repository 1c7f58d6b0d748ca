// Exceptions of the program pass through functions of this library on their way from its callbacks. If the program has
// its own unwinder (-static-libgcc, or another namespace of the dynamic linker), that one asks this library's unwinder
// for the size of a register, which is initialised at its first unwinding: now.

#include <unwind.h>

namespace {

[[gnu::constructor]] void prepare_unwinder() {
  const auto look_at_none = [](_Unwind_Context*, void*) { return _URC_END_OF_STACK; };
  static_cast<void>(_Unwind_Backtrace(look_at_none, nullptr));
}

}  // namespace
