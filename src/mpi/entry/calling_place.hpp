#pragma once
// The program's return address of a call, for reports and records.

namespace tutti::mpi {

/// While a call of Fortran is on its way to the C entry point: where it came from. Of the preloaded library, whose
/// thread-local memory is there from the start.
inline thread_local const void* fortran_caller __attribute__((tls_model("initial-exec"))) = nullptr;

/// Stands in a Fortran entry point.
class FortranCall {
 public:
  explicit FortranCall(const void* caller) { fortran_caller = caller; }
  ~FortranCall() { fortran_caller = nullptr; }
  FortranCall(const FortranCall&) = delete;
  FortranCall& operator=(const FortranCall&) = delete;
};

/// `caller`: the return address of the C entry point.
inline const void* calling_place(const void* caller) {
  return fortran_caller == nullptr ? caller : fortran_caller;
}

}  // namespace tutti::mpi
