#pragma once
// Functions of the C library, behind those of the same names that stand in front of them here.

#include <dlfcn.h>

#include <atomic>

namespace tutti::overlap::calls {

/// The next definition of a function after ours: that of the C library, or of whoever else stands in front of it. Found
/// when the library is loaded (Resolved), or when it is first needed. Constant-initialised: calls come before
/// constructors.
template <class Function>
class Next {
 public:
  constexpr explicit Next(const char* name) : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    return get()(arguments...);
  }
  Function* get() {
    Function* found = function_.load(std::memory_order_relaxed);
    if (found == nullptr) {
      found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name_));
      function_.store(found, std::memory_order_relaxed);
    }
    return found;
  }

 private:
  const char* name_;
  std::atomic<Function*> function_{nullptr};
};

}  // namespace tutti::overlap::calls

/// Declares `next_NAME`, and finds it while the library is loaded.
#define TUTTI_NEXT(name)                                                    \
  constinit tutti::overlap::calls::Next<decltype(name)> next_##name(#name); \
  [[gnu::constructor]] void find_##name() {                                 \
    static_cast<void>(next_##name.get());                                   \
  }                                                                         \
  static_assert(true)
