#pragma once
// A thread's floating-point mode: rounding, treatment of subnormal numbers, and trapped exceptions.

#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

namespace tutti::base {

/// The mode that a program sets by fesetround(), feenableexcept() or compiler flags is per thread. A thread that
/// executes reductions for the program must use the same mode, or the results differ. Trivially copyable: may lie in
/// shared memory and in an atomic.
class alignas(uint64_t) FloatMode {
 public:
#if defined(__x86_64__)
  static FloatMode of_thread() {
    FloatMode mode;
    __asm__ volatile("fnstcw %0" : "=m"(mode.x87_));
    uint32_t sse = 0;
    __asm__ volatile("stmxcsr %0" : "=m"(sse));
    mode.sse_ = sse & ~k_sse_flags;
    return mode;
  }
  /// Raised exception flags are kept.
  void set() const {
    uint32_t sse = 0;
    __asm__ volatile("stmxcsr %0" : "=m"(sse));
    sse = sse_ | (sse & k_sse_flags);
    __asm__ volatile("ldmxcsr %0" : : "m"(sse));
    __asm__ volatile("fldcw %0" : : "m"(x87_));
  }
#elif defined(__aarch64__)
  static FloatMode of_thread() {
    FloatMode mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode.fpcr_));
    return mode;
  }
  void set() const {
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr_));
  }
#else
  static FloatMode of_thread() {
    FloatMode mode;
    mode.rounding_ = std::fegetround();
    return mode;
  }
  void set() const {
    std::fesetround(rounding_);
  }
#endif
  bool operator==(const FloatMode&) const = default;

 private:
#if defined(__x86_64__)
  static constexpr uint32_t k_sse_flags = 0x3f;
  uint32_t sse_ = 0;
  uint16_t x87_ = 0;
#elif defined(__aarch64__)
  uint64_t fpcr_ = 0;
#else
  int rounding_ = 0;
#endif
};

/// Sets this mode on the thread for the lifetime of the object.
class InFloatMode {
 public:
  explicit InFloatMode(const FloatMode& mode) : before_(FloatMode::of_thread()), differs_(before_ != mode) {
    if (differs_) [[unlikely]]
      mode.set();
  }
  ~InFloatMode() {
    if (differs_) [[unlikely]]
      before_.set();
  }
  InFloatMode(const InFloatMode&) = delete;
  InFloatMode& operator=(const InFloatMode&) = delete;

 private:
  const FloatMode before_;
  const bool differs_;
};

}  // namespace tutti::base
