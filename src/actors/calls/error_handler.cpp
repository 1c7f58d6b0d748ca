#include "actors/calls/error_handler.hpp"

#include <cstring>

#include "actors/calls/rank.hpp"
#include "calls.hpp"

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

void release(Rank& me, ErrorHandler* handler) {
  if (handler == &returning_handler() || --handler->users > 0) return;
  me.error_handlers().remove(handler);
  delete handler;
}

#ifdef MPICH_VERSION

/// As that MPI does it, the call has no error where a function of C++ has taken it.
int call(Rank& me, const ErrorHandler& handler, const Communicator& on, int code) {
  constexpr int k_communicator = 0;
  MPI_Comm handle = me.programs(on.handle);
  int copy = code;
  if (handler.cxx != nullptr) {
    handler.cxx(k_communicator, &handle, &copy, reinterpret_cast<void (*)()>(handler.function));
    return MPI_SUCCESS;
  }
  handler.function(&handle, &copy);
  return code;
}

/// Its library for C++ throws.
bool is_throwing_handler(MPI_Errhandler handle) {
  return handle == MPIR_ERRORS_THROW_EXCEPTIONS;
}

ErrorHandler* make_throwing_handler(Rank& me, MPI_Errhandler handle) {
  auto* const handler = new ErrorHandler;
  me.error_handlers().add(handler);
  handler->handle = handle;
  return handler;
}

#else

namespace {

extern "C" char ompi_mpi_errors_throw_exceptions[];

/// Functions that the MPI's library for C++ has put into the object behind a handle: the first is for communicators.
void* first_pointer(const ErrorHandler* handler) {
  void* pointer = nullptr;
  for (size_t at = 0; pointer == nullptr && at < sizeof(ForeignFields); at += sizeof pointer)
    std::memcpy(&pointer, handler->foreign.bytes.data() + at, sizeof pointer);
  return pointer;
}

}  // namespace

int call(Rank& me, const ErrorHandler& handler, const Communicator& on, int code) {
  using OfCxx = void(MPI_Comm*, int*, const char*, void (*)());
  using OfFortran = void(MPI_Fint*, MPI_Fint*);
  MPI_Comm handle = me.programs(on.handle);
  int copy = code;
  if (handler.language == TUTTI_CXX) {
    reinterpret_cast<OfCxx*>(first_pointer(&handler))(&handle, &copy, "",
                                                      reinterpret_cast<void (*)()>(handler.function));
  } else if (handler.language == TUTTI_FORTRAN) {
    MPI_Fint number = calls::Comm_c2f(me, on.handle);
    reinterpret_cast<OfFortran*>(handler.function)(&number, &copy);
  } else {
    handler.function(&handle, &copy);
  }
  return code;
}

bool is_throwing_handler(MPI_Errhandler handle) {
  return static_cast<void*>(handle) == ompi_mpi_errors_throw_exceptions;
}

ErrorHandler* make_throwing_handler(Rank& me, MPI_Errhandler handle) {
  auto* const handler = new ErrorHandler;
  me.error_handlers().add(handler);
  handler->handle = handle;
  const auto* const programs = reinterpret_cast<const ErrorHandler*>(me.programs(handle));
  handler->function = reinterpret_cast<MPI_Comm_errhandler_function*>(first_pointer(programs));
  if (handler->function != nullptr) handler->kind = ErrorHandler::Kind::function;
  return handler;
}

#endif

namespace calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Comm_create_errhandler(Rank& me, MPI_Comm_errhandler_function* function, MPI_Errhandler* handle) {
  auto* const handler = new ErrorHandler;
  handler->kind = ErrorHandler::Kind::function;
  handler->function = function;
  handler->handle = me.error_handlers().add(handler);
  *handle = handler->handle;
  return MPI_SUCCESS;
}

int Comm_set_errhandler(Rank& me, MPI_Comm comm, MPI_Errhandler handle) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  ErrorHandler* handler = nullptr;
  if (handle == MPI_ERRORS_RETURN) {
    handler = &returning_handler();
  } else if (is_throwing_handler(handle)) {
    handler = make_throwing_handler(me, handle);
  } else if (handle != MPI_ERRORS_ARE_FATAL) {
    handler = handle == MPI_ERRHANDLER_NULL ? nullptr : me.error_handlers().find(handle);
    if (handler == nullptr) return me.result(on, MPI_ERR_ARG);
    ++handler->users;
  }
  if (on->error_handler != nullptr) release(me, on->error_handler);
  on->error_handler = handler;
  return MPI_SUCCESS;
}

int Comm_get_errhandler(Rank& me, MPI_Comm comm, MPI_Errhandler* handle) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  *handle = on->error_handler == nullptr ? MPI_ERRORS_ARE_FATAL : on->error_handler->handle;
  if (on->error_handler != nullptr) ++on->error_handler->users;
  return MPI_SUCCESS;
}

int Comm_call_errhandler(Rank& me, MPI_Comm comm, int code) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  me.result(on, code);
  return MPI_SUCCESS;
}

int Errhandler_free(Rank& me, MPI_Errhandler* handle) {
  if (*handle == MPI_ERRHANDLER_NULL) return me.result(nullptr, MPI_ERR_ARG);
  if (*handle != MPI_ERRORS_RETURN && *handle != MPI_ERRORS_ARE_FATAL && !is_throwing_handler(*handle))
    if (ErrorHandler* const handler = me.error_handlers().find(*handle)) release(me, handler);
  *handle = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

int Errhandler_create(Rank& me, MPI_Comm_errhandler_function* function, MPI_Errhandler* handle) {
  return Comm_create_errhandler(me, function, handle);
}
int Errhandler_set(Rank& me, MPI_Comm comm, MPI_Errhandler handle) {
  return Comm_set_errhandler(me, comm, handle);
}
int Errhandler_get(Rank& me, MPI_Comm comm, MPI_Errhandler* handle) {
  return Comm_get_errhandler(me, comm, handle);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
