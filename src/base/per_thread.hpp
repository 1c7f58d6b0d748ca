#pragma once
// Per-thread objects that calls may use at any time, also while the process exits. thread_local objects with
// destructors are not usable then: exit() first destroys those of the calling thread, and then calls the program's exit
// handlers and destructors, which may call MPI.

namespace tutti::base {

/// Object of a thread, in a list that is destroyed when the thread ends, but not when the process exits.
class OfThread {
 public:
  OfThread() = default;
  virtual ~OfThread() = default;
  OfThread(const OfThread&) = delete;
  OfThread& operator=(const OfThread&) = delete;

 protected:
  /// Adds the object to the calling thread's list.
  void keep();

 private:
  static void end_thread(void* last);

  OfThread* before_ = nullptr;
};

template <class T>
class PerThread final : private OfThread {
 public:
  /// The T of the calling thread, one per type; constructed on first use, which may throw. A use after its destruction
  /// constructs a new one.
  static T& get() {
    if (mine_ == nullptr) (mine_ = new PerThread)->keep();
    return mine_->object_;
  }

 private:
  PerThread() = default;
  ~PerThread() override { mine_ = nullptr; }

  T object_{};
  static inline constinit thread_local PerThread* mine_ = nullptr;
};

}  // namespace tutti::base
