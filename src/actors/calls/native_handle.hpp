#pragma once
// Reference to the program's MPI handle that a call reads or writes in place.

#include "actors/calls/rank.hpp"

namespace tutti::actors {

/// Lives for one call.
template <class Handle>
class NativeHandle {
 public:
  NativeHandle(const Rank& rank, Handle* programs) : rank_(rank), programs_(programs) {
    if (programs_ != nullptr) native_ = rank_.native(*programs_);
  }
  ~NativeHandle() {
    if (programs_ != nullptr) *programs_ = rank_.programs(native_);
  }
  NativeHandle(const NativeHandle&) = delete;
  NativeHandle& operator=(const NativeHandle&) = delete;
  /// nullptr if the program passed none.
  Handle* get() { return programs_ == nullptr ? nullptr : &native_; }

 private:
  const Rank& rank_;
  Handle* programs_;
  Handle native_{};
};

}  // namespace tutti::actors
