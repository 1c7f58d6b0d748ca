#pragma once
// Functions of other libraries, behind those of the same names that stand in front of them here.

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>

namespace tutti::base {

/// The dynamic linker may call free() meanwhile, which can be the function that is being sought: nullptr then. No
/// variable of a thread's own: tools stand in front of what reaches those, and may not have begun. One thread at a time
/// is seen so, which is all of them before constructors have run.
inline void* next_definition(const char* name) {
  static std::atomic<pthread_t> seeking{};
  pthread_t none{};
  const bool is_first = seeking.compare_exchange_strong(none, pthread_self());
  if (!is_first && pthread_equal(none, pthread_self()) != 0) return nullptr;
  void* const found = dlsym(RTLD_NEXT, name);
  if (is_first) seeking.store({});
  return found;
}

/// The next definition of a function after ours: that of its library, or of another that stands in front of it. `find`
/// finds it when it is first needed, or before (TUTTI_NEXT). Constant-initialised: calls come before constructors.
template <class Function, void* (*find)(const char* name) = next_definition>
class NextFunction {
 public:
  constexpr explicit NextFunction(const char* name) : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    return get()(arguments...);
  }
  /// nullptr: there is none, or it is being sought by this thread.
  Function* get() {
    Function* const found = known();
    return found != nullptr ? found : seek();
  }
  /// nullptr: it has not been found.
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

/// Declares `next_NAME`, of a type, and finds it while the library is loaded.
#define TUTTI_NEXT_OF_TYPE(name, ...)                                  \
  constinit tutti::base::NextFunction<__VA_ARGS__> next_##name(#name); \
  [[gnu::constructor]] void find_##name() {                            \
    static_cast<void>(next_##name.get());                              \
  }                                                                    \
  static_assert(true)

#define TUTTI_NEXT(name) TUTTI_NEXT_OF_TYPE(name, decltype(name))
