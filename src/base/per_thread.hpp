#pragma once
// Objects of each thread that calls may use at any time, also while the process exits. A thread_local object with a
// destructor cannot be used then: exit() first destroys those of the calling thread, and calls the program's own
// handlers and destructors afterwards, which may call MPI.

namespace tutti::base {

/// One object of a thread, in a list that is destroyed when the thread ends. When the process exits, it stays.
class OfThread {
 public:
  OfThread() = default;
  virtual ~OfThread() = default;
  OfThread(const OfThread&) = delete;
  OfThread& operator=(const OfThread&) = delete;

 protected:
  /// Adds it to the calling thread's list.
  void keep();

 private:
  static void end_thread(void* last);

  OfThread* before_ = nullptr;
};

template <class T>
class PerThread final : private OfThread {
 public:
  /// The T of the calling thread, one for each type; made by its first use, which may throw. What the thread calls
  /// after it has been destroyed gets a new one.
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
