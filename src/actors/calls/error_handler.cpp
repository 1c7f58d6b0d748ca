#include "actors/calls/error_handler.hpp"

#include <cstring>

namespace tutti::actors {

ErrorHandler& returning_handler() {
  static ErrorHandler handler = [] {
    ErrorHandler made;
    made.kind = ErrorHandler::Kind::returns;
    made.handle = MPI_ERRORS_RETURN;
    return made;
  }();
  return handler;
}

#ifdef MPICH_VERSION

/// As in MPICH, the call succeeds if a C++ function has handled the error.
int call(const ErrorHandler& handler, MPI_Comm handle, MPI_Fint, int code) {
  constexpr int k_communicator = 0;
  int copy = code;
  if (handler.cxx != nullptr) {
    handler.cxx(k_communicator, &handle, &copy, reinterpret_cast<void (*)()>(handler.function));
    return MPI_SUCCESS;
  }
  handler.function(&handle, &copy);
  return code;
}

/// MPICH's C++ library throws.
bool is_throwing_handler(MPI_Errhandler handle) {
  return handle == MPIR_ERRORS_THROW_EXCEPTIONS;
}

ErrorHandler* make_throwing_handler(MPI_Errhandler handle, MPI_Errhandler) {
  auto* const handler = new ErrorHandler;
  handler->handle = handle;
  return handler;
}

#else

namespace {

extern "C" __attribute__((weak)) char ompi_mpi_errors_throw_exceptions[];  // absent from Open MPI 5

/// Functions that Open MPI's C++ library has stored in the object behind a handle: the first is for
/// communicators.
void* first_pointer(const ErrorHandler* handler) {
  void* pointer = nullptr;
  for (size_t at = 0; pointer == nullptr && at < sizeof(ForeignFields); at += sizeof pointer)
    std::memcpy(&pointer, handler->foreign.bytes.data() + at, sizeof pointer);
  return pointer;
}

}  // namespace

int call(const ErrorHandler& handler, MPI_Comm handle, MPI_Fint number, int code) {
  using OfCxx = void(MPI_Comm*, int*, const char*, void (*)());
  using OfFortran = void(MPI_Fint*, MPI_Fint*);
  int copy = code;
  if (handler.language == TUTTI_CXX) {
    reinterpret_cast<OfCxx*>(first_pointer(&handler))(&handle, &copy, "",
                                                      reinterpret_cast<void (*)()>(handler.function));
  } else if (handler.language == TUTTI_FORTRAN) {
    reinterpret_cast<OfFortran*>(handler.function)(&number, &copy);
  } else {
    handler.function(&handle, &copy);
  }
  return code;
}

bool is_throwing_handler(MPI_Errhandler handle) {
  void* const known = ompi_mpi_errors_throw_exceptions;
  return known != nullptr && static_cast<void*>(handle) == known;
}

ErrorHandler* make_throwing_handler(MPI_Errhandler handle, MPI_Errhandler programs) {
  auto* const handler = new ErrorHandler;
  handler->handle = handle;
  handler->function = reinterpret_cast<MPI_Comm_errhandler_function*>(
      first_pointer(reinterpret_cast<const ErrorHandler*>(programs)));
  if (handler->function != nullptr) handler->kind = ErrorHandler::Kind::function;
  return handler;
}

#endif

}  // namespace tutti::actors
