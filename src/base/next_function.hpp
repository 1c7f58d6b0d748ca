#pragma once
// Finds the library functions behind Tutti's wrappers of the same names.

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>

namespace tutti::base {

/// Returns nullptr if called recursively: dlsym() may call free(), whose wrapper may be looking for the next free().
/// Does not use thread_local variables: tools interpose functions that these need, and may not be initialised yet. Only
/// one thread at a time is detected, which suffices before constructors have run.
inline void* next_definition(const char* name) {
  static std::atomic<pthread_t> seeking{};
  pthread_t none{};
  const bool is_first = seeking.compare_exchange_strong(none, pthread_self());
  if (!is_first && pthread_equal(none, pthread_self()) != 0) return nullptr;
  void* const found = dlsym(RTLD_NEXT, name);
  if (is_first) seeking.store({});
  return found;
}

/// The next definition of a function after ours: that of its library, or of another interposed library. `find` looks it
/// up on first use, or earlier (TUTTI_NEXT). Constant-initialised, because calls come before constructors.
template <class Function, void* (*find)(const char* name) = next_definition>
class NextFunction {
 public:
  constexpr explicit NextFunction(const char* name) : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    return get()(arguments...);
  }
  /// nullptr: there is none, or this thread is looking it up.
  Function* get() {
    Function* const found = known();
    return found != nullptr ? found : seek();
  }
  /// nullptr: not looked up yet, or there is none.
  Function* known() const { return function_.load(std::memory_order_relaxed); }

 private:
  [[gnu::noinline, gnu::cold]] Function* seek() {
    auto* const found = reinterpret_cast<Function*>(find(name_));
    function_.store(found, std::memory_order_relaxed);
    return found;
  }

  const char* name_;
  std::atomic<Function*> function_{nullptr};
};

}  // namespace tutti::base

/// Defines `next_NAME` of the given function type, and looks it up when the library is loaded.
#define TUTTI_NEXT_OF_TYPE(name, ...)                                  \
  constinit tutti::base::NextFunction<__VA_ARGS__> next_##name(#name); \
  [[gnu::constructor]] void find_##name() {                            \
    static_cast<void>(next_##name.get());                              \
  }                                                                    \
  static_assert(true)

#define TUTTI_NEXT(name) TUTTI_NEXT_OF_TYPE(name, decltype(name))
