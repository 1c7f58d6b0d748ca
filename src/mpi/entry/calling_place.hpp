#pragma once
// The program's return address of a call, for reports and records.

namespace tutti::mpi {

/// Return address of the Fortran call that is being passed to the C entry point; nullptr: there is none. initial-exec
/// is possible because this library is loaded at program start.
inline thread_local const void* fortran_caller __attribute__((tls_model("initial-exec"))) = nullptr;

/// Sets fortran_caller for the duration of a Fortran entry point.
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
